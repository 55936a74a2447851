"""Tenant backends: where the workspaces of a server are stored, in folders or in a database."""
