"""The questions of RestBench over the worlds: what each needs, and whether it was met."""
