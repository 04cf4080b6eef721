"""The tools of a catalog in the loops of others: what providers call, and what goes back."""
