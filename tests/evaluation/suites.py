"""Suites in a folder of their own, run for real: the shortest way from YAML to results."""

import json
import os
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from rubric_core.adapters import system_ports
from rubric_core.analysis import Language, analyze
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable, runnables
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import Event
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.rehearse import rehearsed
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.inputs import PromptInputs, ResolvedTarget
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.known_case import KnownCase
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Case
from rubric_core.loading.lower import Lowering
from rubric_core.loading.project import Project
from rubric_core.ports import Answer, Clock, Finished, Http, Ports, Processes, Program, Request
from rubric_core.syntax.parse import parse

#: Whether every run of these tests is held to its plan, so that whatever it does must have been planned.
HELD = bool(os.environ.get("RUBRIC_THOROUGH"))
LANGUAGE = Language()
BY_NAME = {d.name: d for d in DIALECTS}


def stored_cases(suite: Path) -> Mapping[str, KnownCase]:
    """What is stored of the cases of a suite, or of a file with cases."""
    return ResultDatabase.of(suite).latest(suite)


@dataclass(frozen=True)
class HeardProcesses:
    """Real processes, and a list of the programs that were started."""

    real: Processes
    started: list[Program]

    async def run(self, program: Program) -> Finished:
        self.started.append(program)
        return await self.real.run(program)

    async def serve(self, program: Program) -> Finished:
        self.started.append(program)
        return await self.real.serve(program)


@dataclass
class Folder:
    """A folder with a suite, its targets, and whatever else it needs."""

    path: Path
    environment: dict[str, str] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    #: Something to put around the network.
    network: Callable[[Http], Any] | None = None
    #: The programs that were started, in order.
    started: list[Program] = field(default_factory=list)
    #: In place of the clock of the machine.
    clock: Clock | None = None

    def write(self, name: str, text: str) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return file

    def mock(self, response: str) -> None:
        """The default target always says this."""
        self.targets({"name": "default", "provider": "mock", "response": response})

    def targets(self, *entries: Mapping[str, Any]) -> None:
        self.write(".agentv/targets.yaml", json.dumps({"targets": list(entries)}))

    def suite(self, text: str, name: str = "suite.eval.yaml") -> Path:
        return self.write(name, text)

    def cases(
        self, text: str, dialect: str | None = None, name: str = "suite.eval.yaml", **options: Any
    ) -> list[Runnable]:
        path = self.suite(text, name)
        analysis = analyze(LANGUAGE.document(path.read_text(encoding="utf-8")), LANGUAGE, dialect=dialect)
        return runnables(path, analysis, Options(**options))

    async def run(
        self, text: str, dialect: str | None = None, workers: int | None = None, **options: Any
    ) -> dict[str, CaseResult]:
        """Every case of a suite, run with real files, processes and network, by id."""
        cases = self.cases(text, dialect, **options)
        async with system_ports({"PATH": _path(), **self.environment}) as ports:
            http = ports.http if self.network is None else self.network(ports.http)
            heard = HeardProcesses(ports.processes, self.started)
            around = replace(ports, http=http, processes=heard, clock=self.clock or ports.clock)
            if HELD:
                around = guarded(around, await rehearsed(cases, around))
            results = await run_cases(cases, around, self.events.append, workers)
        return {result.id: result for result in results}

    async def run_all(self, text: str, **options: Any) -> dict[str, CaseResult]:
        """The same for a suite with everything that belongs to it: every variation of a case by itself."""
        suite = load_suite(self.suite(text), LANGUAGE, Project(DiskFiles(), self.path), Options(**options))
        cases = [each for case in suite.cases for each in variations(case)]
        async with system_ports({"PATH": _path(), **self.environment}) as ports:
            around = guarded(ports, await rehearsed(cases, ports)) if HELD else ports
            results = await run_cases(cases, around, self.events.append)
        return {result.id: result for result in results}

    async def one(self, text: str, dialect: str | None = None, **options: Any) -> CaseResult:
        (result,) = (await self.run(text, dialect, **options)).values()
        return result


def _path() -> str:
    return os.environ["PATH"]


@dataclass
class Scripted:
    """A provider that gives prepared replies, one after the other, and remembers what it was asked."""

    replies: list[str | Exception]
    name: str = "scripted"
    kind: str = "openai"
    asked: list[Request] = field(default_factory=list)

    @property
    def identity(self) -> str:
        return "scripted:1"

    async def ask(self, request: Request) -> Answer:
        self.asked.append(request)
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return Answer(reply, model="scripted-1")


@dataclass(frozen=True)
class Lenient:
    """A judge that finds every criterion met, gives 8 of 10, and 0.9 for a whole."""

    #: `cli` for one that may look at files.
    kind: str = "openai"
    name: str = "scripted"
    identity: str = "scripted:1"

    async def ask(self, request: Request) -> Answer:
        assert request.schema is not None
        name, schema = request.schema
        if name != "rubric_checks":
            shared = {"score": 0.9, "pass": True, "reason": "r", "reasoning": "r"}
            return Answer(json.dumps({**shared, "hits": [], "misses": [], "assertions": [], "checks": []}))
        item = schema["properties"]["checks"]["items"]["properties"]
        result: dict[str, Any] = {"score": 8} if "score" in item else {"satisfied": True}
        return Answer(json.dumps({"checks": [{"id": i, "reasoning": "r", **result} for i in item["id"]["enum"]]}))


@dataclass
class Waits:
    """A clock on which waiting takes no time; it remembers for how long it was to wait."""

    waited: list[float] = field(default_factory=list)
    passed: float = 0.0

    def now(self) -> datetime:
        return datetime(2026, 11, 21, 12, 0, 0, tzinfo=timezone.utc) + timedelta(seconds=self.passed)

    def seconds(self) -> float:
        return self.passed

    async def sleep(self, seconds: float) -> None:
        self.waited.append(round(seconds, 3))
        self.passed += seconds


def checks(**results: bool | float) -> str:
    """A judge's reply about criteria: true and false for a checklist, numbers for score ranges."""
    rows = [
        {
            "id": i.replace("_", "-"),
            **({"satisfied": r} if isinstance(r, bool) else {"score": r}),
            "reasoning": f"about {i}",
        }
        for i, r in results.items()
    ]
    return json.dumps({"checks": rows, "overall_reasoning": "all in all"})


def lowered(text: str, dialect: str = "agentv-3") -> tuple[Case, Dialect]:
    """The case of a YAML mapping."""
    tree = parse(textwrap.dedent(text))
    found = BY_NAME[dialect]
    lowering = Lowering(textwrap.dedent(text), found, DIALECTS, tree.anchors)
    case = lowering.shape(Case, tree.root)  # type: ignore[arg-type]
    assert isinstance(case, Case)
    return case, found


def evaluator(text: str, dialect: str = "agentv-3") -> Evaluator:
    """The evaluator of a YAML mapping."""
    body = textwrap.indent(textwrap.dedent(text).strip("\n"), "      ")
    case, _ = lowered(
        f"id: x\ninput: hello\n{BY_NAME[dialect].spelled(Case, 'assertions') or 'evaluators'}:\n  -\n{body}\n", dialect
    )
    (made,) = case.assertions or case.evaluators or []
    return made


def context(
    config: Evaluator | None, answer: Answer | str, ports: Ports | None = None, dialect: str = "agentv-3", **fields: Any
) -> EvaluationContext:
    """What an evaluator is given for an answer."""
    said = answer if isinstance(answer, Answer) else Answer(answer)
    case = fields.pop("case", None) or lowered("id: x\ncriteria: Be good\ninput: What is it?\n", dialect)[0]
    base: dict[str, Any] = {
        "eval_case": case, "candidate": said.text, "target": ResolvedTarget(name="default", kind="mock"), "provider": Scripted([said.text]), "attempt": 1,
        "prompt_inputs": PromptInputs(question="What is it?"), "now": datetime(2026, 11, 21, tzinfo=timezone.utc), "evaluator": config, "answer": said,
        "dialect": BY_NAME[dialect], "ports": ports,
    }  # fmt: skip
    return EvaluationContext(**{**base, **fields})
