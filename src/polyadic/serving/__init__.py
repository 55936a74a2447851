"""Many workspaces behind one server: REST, the protocols of others, and jobs. Thin over ``Workspace``.

Needs the extra ``serve``. :mod:`polyadic.serving.app` puts it together, :mod:`polyadic.serving.service` is what all
routes share, :mod:`polyadic.serving.workspaces` the one place where a name becomes a workspace.
"""
