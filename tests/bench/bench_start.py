"""What the server takes from its start to the first diagnostics, beside yaml-language-server in the same run. Prints, and never fails.

`python tests/bench/bench_start.py [LINES …]`. CPU is user and system time of the server's process, in milliseconds. With valgrind
there are millions of instructions, too, which do not depend on what else the machine does: compare those between commits.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from bench_check import CASE
from bench_lsp import SERVER, peer_command

LINES = (100, 10_000)
REPEATS = 7
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
#: The server's own requests that a client answers here, each with nothing.
CAPABILITIES = {"textDocument": {"publishDiagnostics": {"versionSupport": True}}, "workspace": {"configuration": True}}


class Start(NamedTuple):
    """Milliseconds since the process was spawned, and megabytes."""

    initialized: float
    published: float
    cpu: float
    memory: float


class Client:
    """Just enough of one."""

    def __init__(self, command: list[str], folder: Path, errors: int | Path = subprocess.DEVNULL) -> None:
        self.begun = time.perf_counter()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
        self.folder = folder

    def send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length)) if length else {}

    def until(self, wanted: str) -> float:
        """Milliseconds until a message of this method came, or the answer to the first request."""
        while message := self.receive():
            if "method" in message and "id" in message:
                items = (message.get("params") or {}).get("items")
                self.send(id=message["id"], result=items and [None] * len(items))
            if message.get("method", "answer") == wanted:
                return (time.perf_counter() - self.begun) * 1000
        raise RuntimeError("the server ended")

    def first_diagnostics(self, file: Path) -> Start:
        uri = self.folder.as_uri()
        params = {"processId": os.getpid(), "rootUri": uri, "capabilities": CAPABILITIES}
        self.send(id=1, method="initialize", params={**params, "workspaceFolders": [{"uri": uri, "name": "bench"}]})
        initialized = self.until("answer")
        self.send(method="initialized", params={})
        document = {"uri": file.as_uri(), "languageId": "yaml", "version": 1, "text": file.read_text(encoding="utf-8")}
        self.send(method="textDocument/didOpen", params={"textDocument": document})
        published = self.until("textDocument/publishDiagnostics")
        return Start(initialized, published, self.cpu(), self.memory())

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) * 1000 / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(60)


def suite(lines: int) -> str:
    """About so many lines of cases."""
    return "name: bench\ntests:\n" + "".join(CASE.format(n=n) for n in range(max(1, lines // CASE.count("\n"))))


def measured(command: list[str], file: Path) -> Start:
    starts = []
    for _ in range(REPEATS):
        client = Client(command, file.parent)
        starts.append(client.first_diagnostics(file))
        client.process.kill()
        client.process.wait()
    return Start(*(median(column) for column in zip(*starts, strict=True)))


def instructions(file: Path) -> str:
    """Millions, until the client is gone behind the first diagnostics."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed"
    log = file.with_suffix(".log")
    client = Client([*VALGRIND, f"--log-file={log}", *SERVER], file.parent)
    client.first_diagnostics(file)
    client.close()
    found = re.search(r"I +refs: +([\d,]+)", log.read_text(encoding="utf-8"))
    return f"{int(found[1].replace(',', '')) / 1e6:,.0f} million instructions" if found else "—"


def line(name: str, start: Start, base: Start | None = None) -> str:
    cells = (
        f"{value:>10,.0f}" + (f" = {value / ours:>4.1f} ×" if base else "")
        for value, ours in zip(start, base or start, strict=True)
    )
    return f"{name:36}{''.join(cells)}"


def main() -> None:
    """Measure and print."""
    other = peer_command()
    print(f"{'':36}{'initialize':>10}{'diagnostics':>12}{'CPU':>8}{'MB':>10}   (ms from spawn, medians of {REPEATS})")
    for lines in tuple(map(int, sys.argv[1:])) or LINES:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder).resolve() / "a.eval.yaml"
            file.write_text(suite(lines), encoding="utf-8")
            ours = measured(SERVER, file)
            print(line(f"rubric-lsp, {lines:,} lines", ours), f"  {instructions(file)}")
            if other is not None:
                print(line("yaml-language-server, without schema", measured(other, file), ours))


if __name__ == "__main__":
    main()
