"""Where the workspaces of a server are: folders of a folder, or a database."""
