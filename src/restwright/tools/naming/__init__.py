"""What tools, their arguments and their APIs are called."""
