"""The tools of many APIs: which there are, under which names, and whether they stay the same."""
