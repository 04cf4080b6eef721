"""From bytes, a path or a URL to an `API` with its operations and problems."""
