"""Runs a promptfoo configuration and the suite that the migration writes for it, and pairs their rows."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from rubric_core.adapters import system_ports
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.families.promptfoo.commands.migrate import read_source
from rubric_core.families.promptfoo.migration.suite import ConvertedConfiguration, convert_configuration

__all__ = ["converted", "errors_in", "outcomes"]

#: A row: its values as JSON, its provider, and the verdict and score.
Outcome = tuple[str, str | None, str, float | None]


def converted(path: Path) -> ConvertedConfiguration:
    """The suite for a configuration on the disk."""
    return convert_configuration(read_source(path, path.name, path.read_text(encoding="utf-8")))


def errors_in(path: Path, dialect: str = "agentv-5") -> list[str]:
    """What `rubric check` calls errors in a suite on the disk."""
    suite = load_suite(path)
    assert suite.analysis.dialect.name == dialect, suite.analysis.choice
    found = suite.analysis.diagnostics
    return [
        f"{suite.analysis.document.line_of(d.span.start) + 1}: {d.group}: {d.message}"
        for d in found
        if d.severity == "error"
    ]


async def outcomes(path: Path) -> list[Outcome]:
    """The rows of a configuration or suite on the disk, sorted."""
    cases = [each for case in load_suite(path).cases for each in variations(case)]
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    async with system_ports(environment) as ports:
        results = await run_cases(cases, ports, lambda _: None)
    return sorted((_row(case, result) for case, result in zip(cases, results, strict=True)), key=str)


def _row(case: Runnable, result: CaseResult) -> Outcome:
    values: Mapping[str, object] = case.variables
    score = None if result.score is None else round(result.score, 9)
    target = case.options.target
    return json.dumps(values, sort_keys=True), target, result.verdict.value, score
