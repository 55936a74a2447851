"""One resource a file; each is a router that :mod:`polyadic.server.app` includes."""
