"""A run as JUnit XML, which GitLab, Jenkins and actions for GitHub show: one test case per case.

It conforms to the schema of Jenkins' xUnit plugin, the strictest reader: `testcase` has no `file` and `line` there, so
the text of a failure begins with them. A failed or borderline case is a `failure`; one without a score, or with a
grader that could not run, is an `error`, since nothing is known about its answer.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from rubric_core.control_characters import mask
from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.failure_lines import failure_lines
from rubric_core.evaluation.results.records import RunCase

__all__ = ["junit_xml"]

#: Characters of a text. GitLab takes files of 30 MB at most.
_LONGEST = 20_000
_ENDINGS = (".eval.yaml", ".eval.yml", ".yaml", ".yml", ".jsonl")
#: XML has no way to write these; `mask` takes the other controls out.
_NOT_IN_XML = {0xFFFE: "�", 0xFFFF: "�"}


def junit_xml(run: ExportedRun) -> Iterator[str]:
    """The document, a suite of test cases for each suite. Times are seconds."""
    totals = _counts(run.cases)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="rubric" {totals} time="{_seconds(run.record.duration_ms)}">\n'
    for suite, cases in run.by_suite():
        took = sum(case.summary.duration_ms or 0.0 for case in cases)
        attributes = f'name={_quoted(suite)} file={_quoted(suite)} {_counts(cases)} skipped="0" time="{_seconds(took)}"'
        yield f"  <testsuite {attributes} timestamp={_quoted(run.record.started_at[:19])}>\n"
        yield from _properties(run)
        for case in cases:
            yield _test_case(run, case, case.result)
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _properties(run: ExportedRun) -> Iterator[str]:
    record = run.record
    values = {
        "run": record.id, "commit": f"{record.commit}{' (dirty)' if record.dirty else ''}", "targets": ", ".join(record.targets),
        "judges": ", ".join(record.judges), "rubric": record.rubric_version, "not yours": run.foreign,
    }  # fmt: skip
    yield "    <properties>\n"
    for name, value in values.items():
        if value:
            yield f"      <property name={_quoted(name)} value={_quoted(value)}/>\n"
    yield "    </properties>\n"


def _test_case(run: ExportedRun, case: RunCase, result: CaseResult) -> str:
    head = f'    <testcase classname={_quoted(_class_name(case.suite))} name={_quoted(run.name(case))} time="{_seconds(result.duration_ms)}"'
    kind = _outcome(case)
    body = ""
    if kind:
        lines = list(failure_lines(result))
        message = _message(result, lines)
        text = "\n".join([_place(case, result), message, *lines])
        body += f"      <{kind} type={_quoted(_type(result))} message={_quoted(message)}>{_text(text)}</{kind}>\n"
        if result.answer:
            body += f"      <system-out>{_text(result.answer)}</system-out>\n"
    return f"{head}>\n{body}    </testcase>\n" if body else f"{head}/>\n"


def _outcome(case: RunCase) -> str:
    """The element for the outcome of a case; empty if it passed."""
    if case.summary.verdict is Verdict.PASSED:
        return ""
    return "error" if case.summary.lacks_a_verdict else "failure"


def _type(result: CaseResult) -> str:
    """The type of a failure: that of the first evaluator that did not pass."""
    if result.verdict is not Verdict.FAILED:
        return str(result.verdict.value)
    found = next((each for each in result.evaluators if each.verdict is not Verdict.PASSED), None)
    return found.type if found is not None else "failed"


def _message(result: CaseResult, lines: list[str]) -> str:
    score = "" if result.score is None else f" {result.score:.2f}{f', {result.needs}' if result.needs else ''}"
    why = result.reason or next(iter(lines), "").strip()
    return f"{result.verdict.value}{score}{f': {why}' if why else ''}"


def _place(case: RunCase, result: CaseResult) -> str:
    folder = case.suite.rpartition("/")[0]
    file = f"{folder}/{result.file}".lstrip("/") if result.file else case.suite
    return f"{file}:{result.line}" if result.line else file


def _class_name(suite: str) -> str:
    """The path of a suite for JUnit readers, which take the part before the last dot as the package."""
    ending = next((end for end in _ENDINGS if suite.lower().endswith(end)), "")
    return suite[: len(suite) - len(ending)].replace(".", "_").replace("/", ".")


def _counts(cases: list[RunCase]) -> str:
    outcomes = [_outcome(case) for case in cases]
    return f'tests="{len(cases)}" failures="{outcomes.count("failure")}" errors="{outcomes.count("error")}"'


def _seconds(duration_ms: float | None) -> str:
    return f"{(duration_ms or 0.0) / 1000:.3f}"


def _quoted(text: str) -> str:
    return quoteattr(_xml_text(text), {"\n": "&#10;", "\t": "&#9;"})


def _text(text: str) -> str:
    return escape(_xml_text(text))


def _xml_text(text: str) -> str:
    shown = mask(text).translate(_NOT_IN_XML)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}… ({len(shown) - _LONGEST:,} more characters)"
