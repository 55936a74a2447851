"""The command line ``polyadic``: one command per file, each a thin layer over ``Workspace``."""
