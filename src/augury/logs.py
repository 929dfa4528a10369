"""Structured logs: lines for people on a terminal, JSON elsewhere."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

from augury import terminal
from augury.settings import Settings
from augury.storage.failures import as_unavailable


def configure(settings: Settings) -> None:
    """Send structlog's and the standard library's records to stderr in one format."""
    stderr = terminal.plain(sys.stderr)
    console = settings.log_format == "console" or (
        settings.log_format == "auto" and stderr.isatty()
    )
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: list[Any] = (
        [structlog.dev.ConsoleRenderer()]
        if console
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    structlog.configure(
        processors=[*shared, *renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stderr),
        cache_logger_on_first_use=True,
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
    )
    handler = logging.StreamHandler(stderr)
    # uvicorn logs the reason of a failed start as a traceback; the command prints it in a sentence.
    handler.addFilter(lambda record: not record.getMessage().startswith("Traceback"))
    handler.addFilter(_without_traceback)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.WARNING) if level > logging.DEBUG else level)


def _without_traceback(record: logging.LogRecord) -> bool:
    """Log filter: an error that means an unavailable database becomes a one-line warning without
    traceback, since the work goes on by itself once the database is back. Always returns True, so
    that every record is logged."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and as_unavailable(error) is not None:
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True
