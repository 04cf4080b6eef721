"""ReAct and offline planning, to compare the other agents with."""
