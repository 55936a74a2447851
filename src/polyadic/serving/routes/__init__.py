"""One resource a file; each is a router that :mod:`polyadic.serving.app` includes."""
