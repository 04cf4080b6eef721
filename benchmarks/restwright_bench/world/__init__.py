"""APIs that behave as their documents say, over data that is invented and the same each time."""
