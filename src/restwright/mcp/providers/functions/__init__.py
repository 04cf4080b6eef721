"""What functions are to clients beside tools: prompts, resources, and whom they can ask."""
