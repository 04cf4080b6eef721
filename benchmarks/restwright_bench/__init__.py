"""What Restwright is measured by: worlds to act in, queries over them, and how both are scored."""
