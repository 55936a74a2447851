"""The command ``polyadic``: one verb per file, thin over ``Workspace``."""
