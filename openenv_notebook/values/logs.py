"""The loggers of this package: what passes through them has no secrets and no frames."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any

from openenv_notebook.values.known_secrets import foreign_text


class _WithoutSecrets(logging.Filter):
    """Takes out of each record, and of the traceback with it, what a client knows to be secret."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean a record; it always goes on."""
        said = record.getMessage()
        shown = foreign_text(said)
        if shown != said:
            record.msg, record.args = shown, None
        if record.exc_info and record.exc_info[1] is not None:
            whole = "".join(traceback.format_exception(record.exc_info[1])).rstrip()
            if (clean := foreign_text(whole)) != whole:
                record.exc_info, record.exc_text = None, clean
        return True


_without_secrets = _WithoutSecrets()


def our_log(name: str = "openenv_notebook") -> logging.Logger:
    """Give one of our loggers; what it takes is without the secrets of any client of this process."""
    found = logging.getLogger(name)
    found.addFilter(_without_secrets)
    return found


class LogOfWebSockets(logging.LoggerAdapter[logging.Logger]):
    """What ``websockets`` logs by, as one of our loggers: never the frames and headers, which it tells for debugging.

    Of its own errors, which quote what came, only the kind is told.
    """

    def __init__(self, name: str) -> None:
        super().__init__(our_log(name), {})

    def isEnabledFor(self, level: int) -> bool:
        """Tell whether a level is taken; that of debugging never is."""
        return level > logging.DEBUG and self.logger.isEnabledFor(level)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Leave an error of ``websockets`` out."""
        given = kwargs.get("exc_info")
        error = given if isinstance(given, BaseException) else sys.exc_info()[1] if given else None
        if error is not None and type(error).__module__.partition(".")[0] == "websockets":
            return f"{msg} ({type(error).__name__})", {**kwargs, "exc_info": None}
        return msg, kwargs
