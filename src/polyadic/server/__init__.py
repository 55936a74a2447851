"""HTTP server for many workspaces: REST, OpenAI- and LightRAG-compatible APIs, MCP and jobs.

Needs the extra ``serve``. :mod:`polyadic.server.app` builds the application, :mod:`polyadic.server.server_state` holds
the state shared by all routes, and :mod:`polyadic.server.workspace_registry` is the only place where a name becomes a
workspace.
"""
