"""Arguments of a model: parsed, repaired, validated, and explained where they do not fit."""
