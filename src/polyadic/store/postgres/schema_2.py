"""What the second version of the tables in PostgreSQL has beside the first (schema.py); never edited once released."""

_WORKSPACE = "workspace bigint NOT NULL DEFAULT current_setting('polyadic.workspace')::bigint"

SECOND = f"""
CREATE TABLE taken (                            -- who took a document last (sessions.py)
    document bytea, holder text NOT NULL, {_WORKSPACE}, PRIMARY KEY (workspace, document)
);
"""
