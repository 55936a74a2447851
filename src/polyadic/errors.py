"""Exceptions with messages for users: what happened and where, and what to do next, on one line."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyadic.model.types import Usage

# URLs of model endpoints. Other addresses, such as those of documents, need not be hidden.
_ADDRESS = re.compile(r"\bhttps?://[^\s'\"`,;()<>]*[^\s'\"`,;()<>.:]", re.IGNORECASE)
# User and password of a URL. A password may hold any character, whether or not it was percent-encoded, so everything up
# to the last "@" is hidden.
_CREDENTIALS = re.compile(r"\b([a-z][\w+.-]+:/{1,2})[^\s'\"]*:[^\s'\"]*@", re.IGNORECASE)
_PASSWORD = re.compile(r"(?<=password=)(?:'[^']*'|[^\s&'\"]+)", re.IGNORECASE)


class PolyadicError(Exception):
    """Base class of all errors that Polyadic raises on purpose; passwords of addresses are hidden.

    Parameters
    ----------
    what
        What happened and where, as one sentence without a full stop.
    next_step
        What the user can do about it, also without a full stop; empty if there is nothing to suggest.

    >>> str(PolyadicError("notes.txt is empty", "write something into it"))
    'notes.txt is empty: write something into it'
    """

    def __init__(self, what: str, next_step: str = "") -> None:
        what = without_passwords(what)
        super().__init__(f"{what}: {next_step}" if next_step else what)
        self.what = what
        self.next_step = next_step


class UnreadableDocument(PolyadicError):
    """A file or row cannot be read as a document; the other inputs are still processed."""


class UnreadableDataset(PolyadicError):
    """A question set has an unknown layout, or one of its files cannot be read."""


class SettingsError(PolyadicError):
    """Invalid value in polyadic.toml, an environment variable or a command line option."""


class WeightsMissing(PolyadicError):
    """The weights of a local model are not on this machine."""


class WeightsAltered(PolyadicError):
    """The weights of a local model do not match their expected hash."""


class StoreError(PolyadicError):
    """The store cannot be opened or has unexpected contents."""


class StoreBusy(StoreError):
    """Another process is writing to this workspace."""


class StoreInterrupted(StoreError):
    """The connection to the store broke during a transaction, or the transaction conflicted; it was rolled back."""


class EmbedderMismatch(StoreError):
    """The vectors in the store come from another embedding model than the one in the settings."""


class NotFound(PolyadicError):
    """No document, chunk, fact or entity matches this reference."""


class FolderMissing(PolyadicError):
    """A watched folder is not there, for example because its disk is not mounted."""


class DecisionRefused(PolyadicError):
    """An entity resolution decision contradicts itself or an earlier decision."""


class ModelUnavailable(PolyadicError):
    """A model cannot be used: endpoint, API key or the model itself is unavailable. Further requests would fail too."""


class NoReply(PolyadicError):
    """A model gave no usable reply to one request; other requests may succeed.

    Parameters
    ----------
    what, next_step
        As for :class:`PolyadicError`.
    usage
        Tokens and money charged for the unusable reply; None if the endpoint sent nothing.
    seconds
        Duration of the request.
    """

    def __init__(self, what: str, next_step: str = "", *, usage: "Usage | None" = None, seconds: float = 0.0) -> None:
        super().__init__(what, next_step)
        self.usage = usage
        self.seconds = seconds


def install_command(extra: str) -> str:
    """Return what installs an extra of Polyadic.

    >>> install_command("serve")
    "pip install 'polyadic[serve]', or '.[serve]' in a checkout"
    """
    return f"pip install 'polyadic[{extra}]', or '.[{extra}]' in a checkout"


class PackageMissing(PolyadicError, ImportError):
    """An optional package that a feature needs is not installed.

    Parameters
    ----------
    feature
        The feature that needs the package, for the message.
    package
        Name of the package in the package index.
    extra
        The extra of Polyadic that installs it.

    >>> str(PackageMissing("the server", "fastapi", "serve"))
    "the server needs fastapi, which is not installed: pip install 'polyadic[serve]', or '.[serve]' in a checkout"
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f"{feature} needs {package}, which is not installed", install_command(extra))


def without_addresses(text: str, known: str = "") -> str:
    """Replace the URLs of model endpoints in an error message, so that clients do not learn them.

    Parameters
    ----------
    text
        The message.
    known
        Text that the reader has sent: URLs that occur in it are kept.

    Returns
    -------
    str
        The message with "the endpoint" in place of each other URL.

    >>> without_addresses("http://10.0.0.7:8000/v1 is not reachable: start it")
    'the endpoint is not reachable: start it'
    """
    return _ADDRESS.sub(lambda match: match[0] if match[0] in known else "the endpoint", text)


def without_passwords(text: str) -> str:
    """Replace user and password of the URLs in a text, and the values of ``password=``.

    >>> without_passwords("postgres://ada:a/b@c@db.example/kb?sslpassword=d is not a folder")
    'postgres://***@db.example/kb?sslpassword=*** is not a folder'
    """
    return _PASSWORD.sub("***", _CREDENTIALS.sub(r"\1***@", text))


NO_MODEL = SettingsError(
    "this needs a language model, but none is configured",
    "run polyadic init --preset openai (or ollama, ...), or set name under [model]",
)
