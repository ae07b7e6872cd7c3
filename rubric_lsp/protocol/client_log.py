"""Logging to the editor: no background error opens a window."""

import logging
import sys
import threading
from typing import TYPE_CHECKING

from rubric_lsp.protocol.json_rpc import RubricProtocol
from rubric_lsp.protocol.notices import ERROR, INFORMATION, LOG, WARNING, MessageType

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.window import LogMessageParams

__all__ = ["ClientLog"]


class ClientLog(logging.Handler):
    """Sends records to the client while it is connected, and to standard error before and after."""

    def __init__(self, protocol: RubricProtocol) -> None:
        super().__init__()
        self._protocol = protocol
        self._thread = threading.get_ident()

    @classmethod
    def install(cls, protocol: RubricProtocol) -> None:
        """Replace the handler that writes to standard error; a log file is written anyway."""
        root = logging.getLogger()
        for handler in root.handlers:
            if type(handler) is logging.StreamHandler:
                root.removeHandler(handler)
        root.addHandler(cls(protocol))

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        try:
            message = self.format(record)
        except Exception:  # noqa: BLE001  # a log that fails must not make anything else fail
            self.handleError(record)
            return
        # Only the event loop's thread may write to the client.
        if self._protocol.ready and threading.get_ident() == self._thread:
            line: LogMessageParams = {"type": _kind(record.levelno), "message": message}
            self._protocol.tell("window/logMessage", line)
        else:
            sys.stderr.write(f"{record.levelname} {record.name}: {message}\n")


def _kind(level: int) -> MessageType:
    if level >= logging.ERROR:
        return ERROR
    if level >= logging.WARNING:
        return WARNING
    return INFORMATION if level >= logging.INFO else LOG
