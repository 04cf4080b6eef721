"""Who may use a server, and how its users log in to APIs."""
