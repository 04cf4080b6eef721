"""Static checks of the public types."""
