"""A server of the Model Context Protocol over a catalog: any API as tools for any client."""
