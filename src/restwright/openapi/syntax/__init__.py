"""JSON and YAML, read and written under limits."""
