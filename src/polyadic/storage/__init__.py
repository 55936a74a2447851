"""Persistence of the knowledge hypergraph: storage protocols, and engines for SQLite and PostgreSQL."""
