"""REST routes, one resource per file; each module has a router that :mod:`polyadic.server.app` includes."""
