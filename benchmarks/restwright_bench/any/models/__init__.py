"""Models that need no weights: ideal, adversarial and random ones."""
