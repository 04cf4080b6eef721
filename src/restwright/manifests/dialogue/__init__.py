"""A dialogue of one model that has functions."""
