"""Manifests of SlashGPT: read, run as they are, and converted."""
