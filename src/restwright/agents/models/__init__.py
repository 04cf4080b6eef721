"""The models that agents ask: in process, or of a provider."""
