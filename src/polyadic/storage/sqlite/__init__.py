"""The store in one SQLite file, of which readers hold the arrays."""
