"""Who performs the steps of an agent, within which bounds, and who is told."""
