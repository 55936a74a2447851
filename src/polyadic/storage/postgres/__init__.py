"""Storage engine for PostgreSQL: one database shared by many workspaces and hosts (needs ``polyadic[postgres]``)."""
