"""Log lines as JSON objects; they never contain user text or keys."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from starlette.types import Scope

_NAME = "polyadic.server"
LOGGERS = (_NAME, "uvicorn", "opentelemetry")
"""Loggers whose records go to standard error."""


class JsonLogFormatter(logging.Formatter):
    """Formatter that writes a record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        return json.dumps(line, ensure_ascii=False)


def install(level: int = logging.INFO) -> None:
    """Send the server's log to standard error only."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLogFormatter())
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.setLevel(level if name == _NAME else logging.WARNING)
        logger.propagate = False


def log_event(logger: logging.Logger, level: int, event: str, scope: Scope | None = None, **fields: Any) -> None:
    """Log an event; events of a request carry the request id and, if it is traced, the trace id."""
    state = (scope or {}).get("state", {})
    known = {name: state[name] for name in ("request_id", "trace_id") if name in state}
    logger.log(level, event, extra={"fields": known | fields})
