"""The agent that calls: it selects tools, calls them and describes what came of it."""
