"""Errors that a user sees: what happened and where, and what to do next, on one line."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyadic.model.types import Usage

# What models are reached by; addresses of our own, as of documents, are no secret.
_ADDRESS = re.compile(r"\bhttps?://[^\s'\"`,;()<>]*[^\s'\"`,;()<>.:]", re.IGNORECASE)


class PolyadicError(Exception):
    """A problem that can be explained.

    Parameters
    ----------
    what
        What happened and where, as one sentence without a full stop.
    next_step
        What the user can do now, likewise; empty where there is nothing sensible to suggest.

    >>> str(PolyadicError("notes.txt is empty", "write something into it"))
    'notes.txt is empty: write something into it'
    """

    def __init__(self, what: str, next_step: str = "") -> None:
        super().__init__(f"{what}: {next_step}" if next_step else what)
        self.what = what
        self.next_step = next_step


class UnreadableDocument(PolyadicError):
    """A file or a row cannot be read as a document; the others go on."""


class UnreadableDataset(PolyadicError):
    """A question set has none of the layouts that are known, or a file of it cannot be read."""


class SettingsError(PolyadicError):
    """polyadic.toml, an environment variable or a flag holds a value that cannot be used."""


class WeightsMissing(PolyadicError):
    """The weights of a local model are nowhere to be found."""


class WeightsAltered(PolyadicError):
    """The weights of a local model are not the genuine ones."""


class StoreError(PolyadicError):
    """The store cannot be opened or is not what was expected."""


class StoreBusy(StoreError):
    """Another process is writing to this workspace."""


class StoreInterrupted(StoreError):
    """The store was lost in the middle of a step, or the step stood in the way of another; nothing of it was done."""


class EmbedderMismatch(StoreError):
    """The store was filled with another embedding model than the one in the settings."""


class NotFound(PolyadicError):
    """No document, chunk, fact or entity matches this reference."""


class DecisionRefused(PolyadicError):
    """A decision on who is who contradicts itself or another one."""


class ModelUnavailable(PolyadicError):
    """A model's endpoint, its key or the model itself is not to be had; what needs it cannot go on."""


class NoReply(PolyadicError):
    """A model gave no usable reply to one request; others may fare better.

    Parameters
    ----------
    what, next_step
        As for every problem.
    usage
        What was paid all the same, where an endpoint sent something that is of no use; None where it sent nothing.
    seconds
        How long that took.
    """

    def __init__(self, what: str, next_step: str = "", *, usage: "Usage | None" = None, seconds: float = 0.0) -> None:
        super().__init__(what, next_step)
        self.usage = usage
        self.seconds = seconds


class PackageMissing(PolyadicError, ImportError):
    """An optional package that a feature needs is not installed.

    Parameters
    ----------
    feature, package
        What needs which package.
    extra
        The extra of Polyadic that brings it.

    >>> str(PackageMissing("the retriever", "langchain-core", "langchain"))
    "the retriever needs langchain-core, which is not installed: pip install 'polyadic[langchain]'"
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f"{feature} needs {package}, which is not installed", f"pip install 'polyadic[{extra}]'")


def without_addresses(text: str, known: str = "") -> str:
    """What is said, for those who need not know where the operator's models are.

    Parameters
    ----------
    text
        What an error says.
    known
        What its reader has said: addresses that stand in it are no secret.

    >>> without_addresses("http://10.0.0.7:8000/v1 is not reachable: start it")
    'the endpoint is not reachable: start it'
    """
    return _ADDRESS.sub(lambda found: found[0] if found[0] in known else "the endpoint", text)
