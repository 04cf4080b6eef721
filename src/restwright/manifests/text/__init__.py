"""Texts of manifests: placeholders, lines of the source, checks against a schema, warnings."""
