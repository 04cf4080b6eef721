"""Agents as files: manifests of our own and those of SlashGPT."""
