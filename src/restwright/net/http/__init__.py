"""One HTTP exchange: pools, deadlines, retries and throttling, blocking and asynchronous."""
