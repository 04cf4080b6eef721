"""Option groups, and questions at the terminal."""
