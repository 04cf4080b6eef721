"""From settings to a catalog with its connections: what every face shares."""
