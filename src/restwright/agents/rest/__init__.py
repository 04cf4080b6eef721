"""The agent that plans: RestGPT's planner and selector over the executor."""
