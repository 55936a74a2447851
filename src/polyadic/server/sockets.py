"""Binding the sockets of the server, before anything else of it is started."""

import errno
import socket

from polyadic.errors import SettingsError


def bound(host: str, port: int) -> list[socket.socket]:
    """Bind a port at every address of a host; port 0 is any that is free, the same at each address.

    Raises
    ------
    SettingsError
        The port is taken or not allowed, or the host is no address of this machine.
    """
    sockets: list[socket.socket] = []
    failed: OSError | None = None
    try:
        for family, address in _addresses(host, port):
            try:
                sockets.append(socket.create_server((address, port), family=family))
            except OSError as error:
                if error.errno in (errno.EADDRINUSE, errno.EACCES):
                    raise
                # Of a name with several addresses, those of a protocol that is switched off are passed over.
                failed = error
                continue
            port = sockets[-1].getsockname()[1]
        if not sockets:
            raise failed or OSError(errno.EADDRNOTAVAIL, "no address")
    except OSError as error:
        for one in sockets:
            one.close()
        raise _explained(error, host, port) from error
    return sockets


def _addresses(host: str, port: int) -> list[tuple[socket.AddressFamily, str]]:
    """The addresses of a host, each once."""
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((family, str(address[0])) for family, _, _, _, address in found))


def _explained(error: OSError, host: str, port: int) -> SettingsError:
    if error.errno == errno.EADDRINUSE:
        what = f"port {port} at {host} is taken"
        return SettingsError(what, "stop the program that uses it, or name another with --port (0: any that is free)")
    if error.errno == errno.EACCES:
        return SettingsError(f"port {port} at {host} is not allowed", "name one from 1024 on with --port")
    return SettingsError(f"cannot listen at {host} ({error.strerror})", "name an address of this machine with --host")
