"""HTTP servers of this machine: who may come in, and the protocols that other programs speak."""
