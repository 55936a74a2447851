#!/bin/sh
# Sets the database up as docs/postgres.md says. PostgreSQL's image runs this once.
set -eu
psql --username "${POSTGRES_USER:-postgres}" --dbname postgres -v ON_ERROR_STOP=1 -v password="$POLYADIC_PASSWORD" <<'SQL'
CREATE ROLE polyadic LOGIN PASSWORD :'password';
CREATE ROLE polyadic_workspaces NOLOGIN;
CREATE DATABASE kb OWNER polyadic;
REVOKE CONNECT ON DATABASE kb FROM PUBLIC;
\c kb
CREATE EXTENSION vector;
SQL
