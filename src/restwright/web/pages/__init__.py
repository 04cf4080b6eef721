"""The pages; each module has the routes of its own in `ROUTES`."""
