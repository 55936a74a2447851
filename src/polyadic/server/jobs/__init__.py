"""Jobs: queue, stores, and the processes that run them."""
