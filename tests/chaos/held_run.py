"""A process that runs suites as rubric does, and tells what their plans showed and what they did.

Each line of its input is a job; see `Job`. Each line of its output answers one: see `_answer`. What is done is heard in three ways:
an audit hook in this process, programs that write down how they were started, and a server on 127.0.0.1.
"""

import asyncio
import json
import os
import sys
import threading
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rubric_core.adapters import SystemClock, system_ports
from rubric_core.analysis import Language
from rubric_core.dataclass_copies import replace_fields
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.generators import generate_cases
from rubric_core.evaluation.cases.load import LoadedSuite, load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.rehearse import rehearsed_generators
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.plan import Plan
from rubric_core.loading.project import Project
from rubric_core.ports import Ports

__all__ = ["REPLY", "Job", "main"]

#: What every program and the server reply: a text, and a judgement.
REPLY = '{"score": 1, "pass": true, "reason": "ok", "output": "ok"}'
_CHAT = json.dumps({
    "choices": [{"message": {"role": "assistant", "content": REPLY}, "finish_reason": "stop"}], "usage": {},
    "output": [{"type": "message", "content": [{"type": "output_text", "text": REPLY}]}],
    "content": [{"type": "text", "text": REPLY}], "candidates": [{"content": {"parts": [{"text": REPLY}]}}],
    "data": [{"embedding": [1.0, 0.0]}], "results": [{"flagged": False, "categories": {}}], "message": {"content": REPLY}, "response": REPLY,
})  # fmt: skip
_LANGUAGE = Language()
_HERE = ("127.0.0.1", "localhost", "::1")
#: Seconds for one run.
_PATIENCE = 20.0


@dataclass(frozen=True)
class Job:
    """Two contents of one folder: a usual one, and one in which a setting is hostile."""

    #: Is in everything that is hostile, and nowhere else.
    mark: str
    folder: Path
    suite: str
    usual: Mapping[str, str]
    hostile: Mapping[str, str]


@dataclass
class _Heard:
    """What was done since it was last asked."""

    log: Path
    done: list[str] = field(default_factory=list)
    is_listening: bool = False
    _at: int = 0

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """An event of Python's own."""
        if not self.is_listening:
            return
        if event == "subprocess.Popen":
            self.done.append(f"start {args[0]!s} {args[1]!r} in {args[2]!s}")
        elif event in ("os.system", "os.exec", "os.posix_spawn", "os.fork"):
            self.done.append(f"{event} {args!r:.300}")
        elif event in ("open", "os.listdir", "os.scandir", "shutil.copyfile", "shutil.copytree") and isinstance(
            args[0], str | Path
        ):
            self.done.append(f"{'open' if event != 'shutil.copytree' else 'copy'} {args[0]!s}")
        elif event == "socket.connect" and isinstance(args[1], tuple):
            self._connect(args[1][0])
        elif event == "socket.getaddrinfo":
            self._connect(args[0])

    def _connect(self, host: object) -> None:
        name = host.decode() if isinstance(host, bytes) else str(host)
        self.done.append(f"connect {name}")
        if name not in _HERE:
            raise OSError(f"{name} is not called")

    def taken(self) -> list[str]:
        """All of it; programs of programs included."""
        text = self.log.read_bytes() if self.log.exists() else b""
        new, self._at = text[self._at :].decode("utf-8", "replace"), len(text)
        done, self.done = [*self.done, *(f"program {each}" for each in new.split("\x1e") if each)], []
        return done


def main() -> None:
    """Answer jobs until the input ends."""
    log = Path(os.environ["CHAOS_LOG"])
    heard = _Heard(log)
    sys.addaudithook(heard.hear)
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["CHAOS_PORT"])), _handler(heard))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asyncio.run(_answers(heard))


async def _answers(heard: _Heard) -> None:
    variables = dict(os.environ)
    async with system_ports(variables) as real:
        ports = replace_fields(real, clock=_Clock())
        for line in sys.stdin:
            row = json.loads(line)
            job = Job(row["mark"], Path(row["folder"]), row["suite"], row["usual"], row["hostile"])
            secret = f"SECRET_{job.mark}"
            variables[secret] = f"value-{job.mark}-secret"
            try:
                answer = await _answer(job, ports, heard)
            except Exception as error:  # noqa: BLE001  # whatever it is, it belongs to this job
                answer = {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()[-1500:]}
            del variables[secret]
            print(json.dumps({"mark": job.mark, **answer}), flush=True)


class _Clock(SystemClock):
    """A clock that nobody waits for: retries come at once."""

    async def sleep(self, seconds: float) -> None:  # noqa: ARG002  # of the port
        """Let others go on."""
        await asyncio.sleep(0)


async def _answer(job: Job, ports: Ports, heard: _Heard) -> dict[str, Any]:
    """What the plans show, what a run does that was allowed to do what is usual, and what one does that was allowed everything."""
    os.chdir(job.folder)
    _write(job.folder, job.usual)
    usual = await _planned(job, ports)
    _write(job.folder, job.hostile)
    hostile = await _planned(job, ports)
    heard.taken()
    # What is read while a suite is loaded is read before the question, which shows it.
    heard.is_listening = True
    _loaded(job)
    heard.is_listening = False
    loaded = heard.taken()
    refused, why = await _run(job, ports, usual, heard)
    allowed, reasons = await _run(job, ports, hostile, heard)
    key = b"k" * 32
    known = usual.entries(key, job.folder)
    new = [words for entry, words in hostile.entries(key, job.folder).items() if entry not in known]
    return {
        "usual": list(usual.words()), "shown": list(hostile.words()), "unknown": usual.unknown or hostile.unknown, "new": new,
        "loaded": loaded, "refused": refused, "why": why, "allowed": allowed, "reasons": reasons,
    }  # fmt: skip


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _loaded(job: Job, generated: Any = None) -> LoadedSuite:
    options = Options(working_directory=job.folder)
    return load_suite(
        job.folder / job.suite, _LANGUAGE, Project(DiskFiles(), job.folder), options, "agentv-5", generated
    )


async def _planned(job: Job, ports: Ports) -> Plan:
    suite = _loaded(job)
    plan = await plan_run(list(suite.cases), ports, [job.folder])
    return plan.joined(await rehearsed_generators(suite, ports)) if suite.programs else plan


async def _run(job: Job, ports: Ports, plan: Plan, heard: _Heard) -> tuple[list[str], list[str]]:
    """What a run does that is held to a plan, and why its cases have no score."""
    around = guarded(ports, plan)
    suite = _loaded(job)
    try:
        async with asyncio.timeout(_PATIENCE):
            if suite.programs:
                heard.is_listening = True
                made = await generate_cases(suite, around)
                heard.is_listening = False
                suite = _loaded(job, made)
            heard.is_listening = True
            results = await run_cases(list(suite.cases), around) if suite.cases else []
    finally:
        heard.is_listening = False
    return heard.taken(), [f"{each.verdict.value} {each.reason}" for each in results]


def _handler(heard: _Heard) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Writes down every request, and replies."""

        def _reply(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode("utf-8", "replace")
            heard.done.append(f"request {self.path}\x1f{self.headers.as_string()}\x1f{body}")
            data = _CHAT.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _reply  # noqa: N815  # names of the base

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


if __name__ == "__main__":
    main()
