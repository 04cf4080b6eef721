"""What a model is asked: prompts, and replies under a schema."""
