"""A page to look at: the catalog, one tool, and a chat, for who sits at this machine."""
