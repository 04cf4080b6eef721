"""From an operation to a tool that a model can call."""
