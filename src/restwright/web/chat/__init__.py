"""The chats of a page: their turns, the runs behind them, and how these are shown."""
