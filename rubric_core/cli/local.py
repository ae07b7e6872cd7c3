"""`rubric local setup` and `rubric local serve`: a small local model as a target, offline."""

import argparse
import contextlib
import os
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence

from rubric_core.local.server import LocalServer, check_runtime
from rubric_core.local.weights import ALIAS, MODEL, LocalError, fetch_weights, find_weights

__all__ = ["add_arguments", "main"]

_KEY, _URL = "RUBRIC_LOCAL_KEY", "RUBRIC_LOCAL_URL"
WRONG_USE = 2
_LABEL = (
    f"{MODEL} is a very small model that runs on this computer, for trying things offline. Its answers are often "
    "wrong; do not use it as a judge."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric local`."""
    parser.description = f"A small local model as a target, without key or network. {_LABEL}"
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser(
        "setup", help="download the weights, once (93 MB)", description=f"Download the weights, once. {_LABEL}"
    )
    serve = actions.add_parser(
        "serve", help="serve until Ctrl-C", description=f"Serve on 127.0.0.1 until Ctrl-C. {_LABEL}"
    )
    serve.epilog = (
        f"With `-- COMMAND` the server runs only while that command runs; the command finds it by {_URL} "
        f"and {_KEY}: "
        "rubric local serve -- rubric run evals/support.eval.yaml"
    )
    serve.add_argument("--port", type=_port, default=0, metavar="N", help="the port to listen on (default: a free one)")
    serve.add_argument("command_line", nargs="*", metavar="-- COMMAND", help="serve only while COMMAND runs")


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"a number from 1 to 65535, not {text!r}")
    return int(text)


def main(options: argparse.Namespace) -> int:
    """Set up or serve. Returns the exit code: 0, that of COMMAND, or 2 if the model is not available."""
    try:
        check_runtime()
        if options.action == "setup":
            return _set_up()
        return _serve(options.port, options.command_line)
    except LocalError as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE


def _set_up() -> int:
    weights = find_weights()
    if weights is None:
        print("Downloading the weights (93 MB) …", flush=True)
        weights = fetch_weights()
    print(f"{MODEL} is ready: {weights}\n{_LABEL}\nNext: rubric local serve")
    return 0


def _serve(port: int, command: Sequence[str]) -> int:
    weights = find_weights()
    if weights is None:
        raise LocalError("the weights are not installed yet: run rubric local setup")
    given = os.environ.get(_KEY)
    key = given or secrets.token_urlsafe(24)
    server = LocalServer(weights, key, port)
    if command:
        return _beside(server, key, command)
    print(_instructions(server.url, key if not given else ""), flush=True)
    over = threading.Event()
    for name in ("SIGTERM", "SIGHUP"):
        with contextlib.suppress(AttributeError):
            signal.signal(getattr(signal, name), lambda *_: over.set())
    with contextlib.suppress(KeyboardInterrupt):
        while not over.wait(1):
            pass
    return 0


def _beside(server: LocalServer, key: str, command: Sequence[str]) -> int:
    """Run a command while the server runs. Returns its exit code."""
    try:
        return subprocess.run(command, env={**os.environ, _URL: server.url, _KEY: key}, check=False).returncode  # noqa: S603  # what the user asks for
    except OSError as error:
        raise LocalError(f"{command[0]} cannot be started: {error.strerror or error}") from None


def _instructions(url: str, key: str) -> str:
    export = f"\n\nexport {_KEY}={key}" if key else ""
    return (
        f"{MODEL} answers at {url} until Ctrl-C.\n{_LABEL}\n\n"
        "targets:\n"
        f'  - {{name: default, provider: openai, base_url: "{url}", model: {ALIAS}, api_key: "${{{{ {_KEY} }}}}"}}'
        f"{export}"
    )
