"""The same tables in PostgreSQL, shared by many workspaces and many hosts (needs ``polyadic[postgres]``)."""
