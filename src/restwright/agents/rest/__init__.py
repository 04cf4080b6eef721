"""The loop of `rest`: plan, select, call and parse, one small decision of the model at a time."""
