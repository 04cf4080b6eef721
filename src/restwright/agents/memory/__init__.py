"""What a run and the turns before it know, and what the words of a message speak of."""
