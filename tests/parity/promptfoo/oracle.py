"""The real promptfoo: installed from npm beside the checkout, run over a configuration, and what it wrote read."""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import npm

from rubric_core.language.javascript_values import json_text

from .row import Row, Scored

__all__ = ["VERSION", "command", "exit_code", "import_results", "read_rows", "rows"]

#: The last release for Node 20.
VERSION = "0.121.20"
#: The driver of its database, and packages to which it leaves some assertions.
_BESIDE = ("@libsql/linux-x64-gnu@0.5.29", "node-sql-parser@5.4.0", "natural@8.1.1")
_QUIET = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1", "CI": "1", "NO_COLOR": "1",
}  # fmt: skip
_ERROR = 2


def command() -> tuple[str, ...]:
    """The words that start it, installed when it is not there yet. Raises npm.UnavailableError."""
    package = npm.installed("promptfoo", VERSION, "400 MB", "--omit=optional", beside=_BESIDE)
    return ("node", str(package / "dist" / "src" / "entrypoint.js"))


def rows(
    start: Sequence[str], configuration: Path, environment: Mapping[str, str], work: Path, *, named: bool = True
) -> dict[tuple[int, int], Row]:
    """What became of every row, by the numbers of the test and of the column. Raises RuntimeError for a run that gives none.

    A configuration that is not `named` on the command line is the one that a run finds in its folder. The `environment` is the
    whole of it; if empty, that of this process.
    """
    output = work / "out.json"
    done = _run(start, configuration, environment, work, "-o", str(output), named=named)
    if not output.is_file():
        said = (done.stdout + done.stderr)[-2000:]
        raise RuntimeError(f"{configuration.name}: promptfoo ended with {done.returncode} and wrote nothing: {said}")
    return read_rows(output)


def read_rows(results: Path) -> dict[tuple[int, int], Row]:
    """The rows of a file of results, by the numbers of the test and of the column."""
    written = json.loads(results.read_text(encoding="utf-8"))["results"]["results"]
    return {(each["testIdx"], each["promptIdx"]): _row(each) for each in written}


def import_results(start: Sequence[str], results: Path, work: Path) -> "subprocess.CompletedProcess[str]":
    """What it says to a file of results that it is to keep as a run of its own."""
    around = {**os.environ, **_QUIET, "PROMPTFOO_CONFIG_DIR": str(work / "promptfoo")}
    command = [*start, "import", str(results)]
    return subprocess.run(command, cwd=work, env=around, capture_output=True, text=True, timeout=300, check=False)


def exit_code(start: Sequence[str], configuration: Path, work: Path) -> int:
    """What it exits with after a run of a configuration."""
    return _run(start, configuration, {}, work).returncode


def _run(
    start: Sequence[str],
    configuration: Path,
    environment: Mapping[str, str],
    work: Path,
    *more: str,
    named: bool = True,
) -> "subprocess.CompletedProcess[str]":
    # With extensions promptfoo reads its results back from where it keeps them, and writes none without.
    kept = [] if "\nextensions:" in configuration.read_text(encoding="utf-8") else ["--no-write"]
    which = ["-c", configuration.name] if named else []
    arguments = ["eval", *which, "--no-cache", *kept, "--no-table", *more]
    around = {**(environment or os.environ), **_QUIET, "PROMPTFOO_CONFIG_DIR": str(work / "promptfoo")}
    return subprocess.run(
        [*start, *arguments],
        cwd=configuration.parent,
        env=around,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _row(written: Mapping[str, Any]) -> Row:
    graded = written.get("gradingResult") or {}
    is_error = written.get("failureReason") == _ERROR
    verdict = "unscored" if is_error else "passed" if written["success"] else "failed"
    parts = tuple(_scored(each) for each in graded.get("componentResults") or ())
    output = (written.get("response") or {}).get("output")
    return Row(
        written["testCase"].get("description") or "", verdict, None if is_error else written["score"], () if is_error else parts,
        written["prompt"]["raw"], output if isinstance(output, str) else json_text(output),
        {} if is_error else dict(written.get("namedScores") or {}), str(written.get("error") or ""),
    )  # fmt: skip


def _scored(written: Mapping[str, Any]) -> Scored:
    return Scored(
        str((written.get("assertion") or {}).get("type") or "assert-set"), bool(written["pass"]), written["score"]
    )
