"""What one server lets itself be asked for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Bounds of a server; bytes, seconds and counts.

    ``json_bytes`` is the longest body of a request, ``upload_bytes`` that of an upload with all its files.
    ``request_seconds`` is how long a question, an export or the body of a request may take, ``idle_seconds`` how long
    the next piece of a body may. ``questions_at_once`` are answered and ``questions_waiting`` wait for their turn;
    further ones are turned away. ``workspaces_open`` are kept open while nobody uses them. ``jobs_waiting`` counts
    those of one workspace, ``jobs_kept`` those of one workspace that have ended. ``graph_entities`` bounds a
    neighbourhood. ``connections`` are held at once. ``closing_seconds`` is how long questions and jobs have to end when
    the server stops.
    """

    json_bytes: int = 8_000_000
    upload_bytes: int = 256_000_000
    upload_files: int = 100
    uploads_at_once: int = 8
    request_seconds: float = 300.0
    idle_seconds: float = 30.0
    questions_at_once: int = 32
    questions_waiting: int = 1000
    workspaces: int = 1000
    workspaces_open: int = 16
    jobs_at_once: int = 1
    jobs_waiting: int = 100
    jobs_kept: int = 100
    graph_entities: int = 2000
    connections: int = 500
    closing_seconds: float = 20.0
