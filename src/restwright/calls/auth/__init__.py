"""Security schemes and credentials."""
