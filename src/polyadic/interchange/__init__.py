"""Export, import and copy workspaces in other formats."""
