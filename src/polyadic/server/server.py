"""The server process: what it refuses to start with, and how it ends."""

import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn

from polyadic.errors import PackageMissing, SettingsError
from polyadic.server.api_keys import KeyRing, keys_file
from polyadic.server.app import create_app
from polyadic.server.limits import ServerLimits
from polyadic.server.service import ServerState
from polyadic.server.sockets import bound
from polyadic.server.tenants.folders import FolderTenants
from polyadic.server.tenants.tenant_backend import TenantBackend
from polyadic.storage.url import is_address

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_IDLE_CONNECTION = 30


def service_for(
    place: Path | str, host: str, keys: Path | None, limits: ServerLimits, settings: Path | None = None
) -> ServerState:
    """What a server at this address may serve.

    Parameters
    ----------
    place
        A folder whose folders are workspaces, made if it is not there; or the address of a database.
    host
        The address to listen at.
    keys
        The file of keys; that of the folder, or of ``settings``, if left out. Where there are none, only this machine
        is served.
    limits
        What it lets itself be asked for.
    settings
        Of a database: the folder with the settings and prompts of its workspaces; the current one if left out.

    Raises
    ------
    SettingsError
        Others could reach it, and there are no keys; or the place cannot be served.
    StoreError
        The database cannot be used.
    PackageMissing
        What PostgreSQL needs is not installed.
    """
    folder = settings or Path() if is_address(place) else _made(Path(place))
    ring = KeyRing(keys or keys_file(folder))
    has_keys = bool(ring.keys())
    if not has_keys and (keys is not None or host not in _LOOPBACK):
        what = f"there are no keys in {ring.file}" if keys else f"at {host} others could do everything without a key"
        raise SettingsError(what, f"polyadic keys add {folder} NAME --all --write makes one")
    site = database(str(place), folder) if is_address(place) else FolderTenants(folder)
    return ServerState(site, ring if has_keys else None, limits)


def database(address: str, settings: Path) -> TenantBackend:
    """The workspaces of a database.

    Parameters
    ----------
    address
        Of the database, ``postgresql://user@host/database``.
    settings
        The folder with the settings and prompts of its workspaces.

    Raises
    ------
    PackageMissing, SettingsError, StoreError
        As :func:`service_for`.
    """
    try:
        from polyadic.server.tenants.postgres import PostgresTenants
    except ImportError as error:
        raise PackageMissing("PostgreSQL", error.name or "psycopg", "postgres") from error
    return PostgresTenants(address, settings)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"{folder} cannot be served ({error.strerror})", "name another folder") from error
    return folder


class PolyadicServer(uvicorn.Server):
    """Uvicorn's, which tells the service as soon as it is to stop: streams that only watch end then.

    Parameters
    ----------
    service
        What is served.
    host, port
        Where to listen; port 0 is any that is free.
    on_start
        Told the port as soon as requests are taken.
    """

    def __init__(
        self, service: ServerState, host: str, port: int, on_start: Callable[[int], None] = lambda port: None
    ) -> None:
        self._service = service
        self._on_start = on_start
        self._host, self._port = host, port
        super().__init__(
            uvicorn.Config(
                create_app(service),
                host=host,
                port=port,
                access_log=False,
                log_config=None,
                server_header=False,
                date_header=True,
                # What a proxy says of addresses decides nothing here, so it need not be believed.
                proxy_headers=False,
                timeout_keep_alive=_IDLE_CONNECTION,
                limit_concurrency=service.limits.connections,
                timeout_graceful_shutdown=round(service.limits.closing_seconds),
                ws="none",
            )
        )

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until the process is told to stop.

        Raises
        ------
        SettingsError
            The port cannot be had.
        """
        super().run(sockets or bound(self._host, self._port))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            for listening in (one for server in self.servers for one in server.sockets):
                _let_go_after(listening, self._service.limits.idle_seconds)
            self._on_start(self.servers[0].sockets[0].getsockname()[1])

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._service.begin_closing()
        await super().shutdown(sockets)


def _let_go_after(listening: socket.socket, seconds: float) -> None:
    """Have connections broken off whose other end takes nothing any more, which asyncio would wait for without end.

    What is accepted takes this over from the socket that listens.
    """
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1000 * seconds))
