"""Logging of job store errors that must not end the caller."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from polyadic.errors import StoreError
from polyadic.server.logs import log_event

_LOG = logging.getLogger(__name__)


@contextlib.contextmanager
def store_errors_logged(what: str, **about: Any) -> Iterator[None]:
    """Log and suppress errors of the job store."""
    try:
        yield
    except StoreError as error:
        log_event(_LOG, logging.ERROR, what, message=str(error), **about)
