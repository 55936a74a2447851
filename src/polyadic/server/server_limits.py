"""Limits of a server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of a server, in bytes, seconds and counts.

    ``json_bytes`` is the maximum size of a request body, ``upload_bytes`` that of an upload with all its files.
    ``request_seconds`` is the time limit of a question, an export or a request body, ``idle_seconds`` the longest pause
    within a body, and the time limit of a request head. ``questions_at_once`` questions run and ``questions_waiting``
    wait in the queue; further ones are refused. ``workspaces_open`` is the number of idle workspaces that stay open.
    ``jobs_waiting`` and ``jobs_kept`` are the numbers of queued and of ended jobs per workspace. ``graph_entities`` is
    the maximum size of a neighbourhood. ``pages_at_once`` images of pages are rendered at once, each for at most
    ``page_seconds``. ``connections`` is the number of open connections. ``closing_seconds`` is the
    time that questions and jobs have to finish when the server stops.
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
    graph_entities: int = 10_000
    pages_at_once: int = 2
    page_seconds: float = 20.0
    connections: int = 500
    closing_seconds: float = 20.0
