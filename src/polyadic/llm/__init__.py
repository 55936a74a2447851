"""Models behind small protocols: what turns texts into vectors, and what counts their tokens."""
