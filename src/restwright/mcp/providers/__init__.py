"""The tools, prompts and resources that a server has."""
