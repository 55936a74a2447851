"""What to do about a connection that PostgreSQL refuses, by the text of the error: such errors have no SQLSTATE."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionFailure:
    """A reason for which no connection is made.

    Parameters
    ----------
    text
        What the error says.
    hint
        What to do, with the groups of ``text``.
    lasts
        Whether trying again within seconds is of no use.
    """

    text: re.Pattern[str]
    hint: str
    lasts: bool = True


def _failure(text: str, hint: str, lasts: bool = True) -> ConnectionFailure:
    return ConnectionFailure(re.compile(text, re.IGNORECASE), hint, lasts)


_FAILURES = (
    _failure(
        r'database "(.*)" does not exist', r"create the database first (CREATE DATABASE \1), or name an existing one"
    ),
    _failure(
        r"password authentication failed|no password supplied",
        "correct the password in ~/.pgpass, PGPASSWORD or the address, or the user",
    ),
    _failure(r'FATAL: +role "(.*)" does not exist', r"create the user \1 on the server, or name another (PGUSER)"),
    _failure(
        "(?:peer|ident) authentication failed",
        "run this as the system user of that name, or name a host, whose pg_hba.conf asks for a password",
    ),
    _failure(
        "pg_hba.conf",
        "allow this user, database and host in pg_hba.conf on the server; if it has only lines with hostssl, set"
        " sslmode=require",
    ),
    _failure(r'permission denied for database "(.*)"', r"let its owner run: GRANT CONNECT ON DATABASE \1 TO the user"),
    _failure(
        'too many connections for (role|database) "(.*)"', r"raise its limit: ALTER \1 \2 CONNECTION LIMIT ...", False
    ),
    _failure(
        "too many clients|remaining connection slots",
        "the server has no connection left: raise its max_connections, or use a pooler",
        False,
    ),
    _failure(
        r"invalid \S+ value|bad value for|invalid (?:port|integer)|unrecognized configuration|could not match",
        "correct this parameter in the address, in the environment (PG...) or in the service file",
    ),
    _failure(
        "does not support SSL", "set ssl = on on the server, or sslmode=prefer in the address if the network is trusted"
    ),
    _failure(
        r"SSL|certificate|private key file",
        "check sslmode, sslrootcert, sslcert and sslkey: the certificate of the server must be signed by an authority"
        " in sslrootcert and name its host",
    ),
    _failure(
        "failed to resolve host|could not translate host name",
        "check the host in the address or PGHOST: no DNS server knows it now",
        False,
    ),
    _failure(
        "definition of service|service file",
        "correct service= or PGSERVICE, and the file ~/.pg_service.conf or PGSERVICEFILE",
    ),
    _failure(
        "No such file or directory",
        "start the server on this machine, or name its host in the address or PGHOST",
        False,
    ),
    _failure("the database system is", "run this again when the server accepts connections", False),
    _failure("timeout expired", "check the host, the port and firewalls between, then run this again", False),
    _failure("No space left on device", "free space on the server's disk, then run this again"),
)


def failure_of(text: str) -> ConnectionFailure | None:
    """Return the reason that the text of an error names; None if it names none that is known here."""
    return next((failure for failure in _FAILURES if failure.text.search(text)), None)


def hint_for(text: str) -> str:
    """Return what to do about the reason in the text of an error; empty if it names none that is known here.

    >>> hint_for('FATAL:  database "kb" does not exist')
    'create the database first (CREATE DATABASE kb), or name an existing one'
    """
    failure = failure_of(text)
    match = failure.text.search(text) if failure else None
    return match.expand(failure.hint) if failure and match else ""
