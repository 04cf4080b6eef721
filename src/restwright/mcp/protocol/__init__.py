"""What a client and a server say to each other, and what goes on between two requests."""
