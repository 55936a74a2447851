"""Storage code shared by all SQL engines: the tables of a store, their maintenance, and queries on them."""
