"""Binding of the server's sockets, before anything else starts."""

import errno
import socket

from polyadic.errors import SettingsError


def bound(host: str, port: int) -> list[socket.socket]:
    """Bind a port on every address of a host; port 0 picks one free port for all of them.

    Raises
    ------
    SettingsError
        The port is in use or not permitted, or the host is not an address of this machine.
    """
    sockets: list[socket.socket] = []
    last_error: OSError | None = None
    try:
        for family, address in _addresses(host, port):
            try:
                sockets.append(socket.create_server((address, port), family=family))
            except OSError as error:
                if error.errno in (errno.EADDRINUSE, errno.EACCES):
                    raise
                # A host name may resolve to addresses of a protocol that is disabled here; skip these.
                last_error = error
                continue
            port = sockets[-1].getsockname()[1]
        if not sockets:
            raise last_error or OSError(errno.EADDRNOTAVAIL, "no address")
    except OSError as error:
        for one in sockets:
            one.close()
        raise _bind_error(error, host, port) from error
    return sockets


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    """Resolve a host to its distinct addresses."""
    resolved = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, str(address[0])) for family, _, _, _, address in resolved))


def _bind_error(error: OSError, host: str, port: int) -> SettingsError:
    if error.errno == errno.EADDRINUSE:
        what = f"port {port} at {host} is taken"
        return SettingsError(what, "stop the program that uses it, or name another with --port (0: any that is free)")
    if error.errno == errno.EACCES:
        return SettingsError(f"port {port} at {host} is not allowed", "name one from 1024 on with --port")
    return SettingsError(f"cannot listen at {host} ({error.strerror})", "name an address of this machine with --host")
