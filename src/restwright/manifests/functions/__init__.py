"""Functions of a manifest: what a model may call, and what becomes of a call."""
