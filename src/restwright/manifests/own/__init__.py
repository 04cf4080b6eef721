"""Manifests in Restwright's own format."""
