"""ReAct, offline planning and a search over decisions, to compare the other agents with."""
