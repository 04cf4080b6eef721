"""From checked arguments to one HTTP request."""
