"""The program `rubric-lsp`: a language server on standard input and output, on a TCP port, or on a WebSocket."""

import argparse
import asyncio
import gc
import logging
import sys
from collections.abc import Sequence

# Nothing that imports make is garbage: looking for it would take a tenth of the time to start.
gc.disable()

from rubric_core import __version__  # noqa: E402

__all__ = ["main"]

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)
_WRONG_USE = 2
_SOCKETS = (
    "With --tcp and --ws a client needs the token that is printed at the start, as initializationOptions.token; "
    "RUBRIC_LSP_SOCKETS in the environment sets it. Such clients cannot trust folders: use rubric trust."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one client; the exit code is that of the protocol: 0 after `shutdown` and `exit`, else 1."""
    options = _parser().parse_args(arguments)
    try:
        _log(options.log_file, _LEVELS[min(options.verbose, len(_LEVELS) - 1)])
    except OSError as error:
        return _wrong(f"cannot write to {options.log_file}: {error.strerror or error}")
    try:
        return asyncio.run(_serve(options))
    except ModuleNotFoundError as error:
        if error.name != "websockets":
            raise
        return _wrong("--ws needs the package websockets: pip install websockets")
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        return _wrong(error.strerror or str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rubric-lsp", description="The language server for LLM evaluation suites in YAML.", epilog=_SOCKETS
    )
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="talk on standard input and output (the default)")
    transport.add_argument(
        "--tcp", type=_address, metavar="[HOST:]PORT", help="wait for one client on a port; 0 chooses a free one"
    )
    transport.add_argument(
        "--ws", type=_address, metavar="[HOST:]PORT", help="wait for one client on a WebSocket; 0 chooses a free port"
    )
    transport.add_argument("--unix", metavar="PATH", help="wait for one client of this user on a Unix socket")
    parser.add_argument(
        "--page",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="with --ws: the origin of a web page that may connect, such as http://localhost:3000",
    )
    parser.add_argument(
        "--log-file", metavar="FILE", help="append the log to a file instead of sending it to the editor"
    )
    parser.add_argument("-v", "--verbose", action="count", default=0, help="log more; repeat it to log everything")
    parser.add_argument("--version", action="version", version=f"rubric-lsp {__version__}")
    # Editors that start every server alike pass it; the parent is watched anyway.
    parser.add_argument("--clientProcessId", help=argparse.SUPPRESS)
    return parser


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535:
        raise argparse.ArgumentTypeError(f"{text} is not a port; write 2087 or 127.0.0.1:2087")
    return host.strip("[]") or "127.0.0.1", int(port)


def _log(file: str | None, level: int) -> None:
    shape = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    logging.basicConfig(filename=file, level=level, format=shape, encoding="utf-8" if file else None)
    # Their log messages describe every step.
    logging.getLogger("asyncio").setLevel(logging.WARNING)
    logging.getLogger("pygls").setLevel(logging.WARNING)


async def _serve(options: argparse.Namespace) -> int:
    from rubric_lsp.protocol.client_log import ClientLog  # noqa: PLC0415  # --help and --version need none of it
    from rubric_lsp.protocol.transport import serve_stdio, serve_tcp, serve_unix  # noqa: PLC0415
    from rubric_lsp.routes import make_server  # noqa: PLC0415

    server = make_server()
    server.gc.started()
    ClientLog.install(server.protocol)
    if options.tcp is None and options.ws is None and options.unix is None:
        return await serve_stdio(server.protocol)
    from rubric_lsp.protocol.admission import Admission  # noqa: PLC0415

    server.permission.remote = True
    if options.unix is not None:
        return await serve_unix(server.protocol, options.unix, lambda path: _say(f"rubric-lsp listens on {path}"))
    admission = Admission.by_token()

    def announce(host: str, port: int) -> None:
        _say(f"rubric-lsp listens on {host}:{port}\ntoken: {admission.token}")

    host, port = options.tcp or options.ws
    if options.ws is None:
        return await serve_tcp(server.protocol, host, port, announce, admission)
    from rubric_lsp.protocol.websocket import serve_websocket  # noqa: PLC0415

    return await serve_websocket(server.protocol, host, port, announce, admission, options.page)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def _wrong(message: str) -> int:
    sys.stderr.write(f"rubric-lsp: {message}\n")
    return _WRONG_USE


if __name__ == "__main__":
    sys.exit(main())
