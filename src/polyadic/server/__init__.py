"""Many workspaces behind one server: REST, the protocols of others, and jobs. Thin over ``Workspace``.

Needs the extra ``serve``. :mod:`polyadic.server.app` puts it together, :mod:`polyadic.server.service` is what all
routes share, :mod:`polyadic.server.workspace_registry` the one place where a name becomes a workspace.
"""
