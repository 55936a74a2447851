"""Names that all parts of the PostgreSQL schema share."""

SCHEMA = "polyadic"
ROLE = "polyadic_workspaces"
"""Role that superusers switch to, as row-level security does not apply to superusers."""
WORKSPACE = "workspace bigint NOT NULL DEFAULT current_setting('polyadic.workspace')::bigint"
"""Column of every table whose rows belong to workspaces."""
