"""What every loop needs to make its calls and to come to an end."""
