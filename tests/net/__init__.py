"""The network against real servers on loopback, through both transports."""
