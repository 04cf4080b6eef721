"""How well a model fills in the arguments of one call: twelve kinds of them, and BFCL."""
