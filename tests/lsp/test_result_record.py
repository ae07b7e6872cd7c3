"""Stored results are taken in a few at a time, and are not shown before it is known whether they hold."""

import asyncio
import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from running import store

from rubric_core.analysis import Language
from rubric_core.evaluation.engine import fingerprint as fingerprints
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_lsp.documents import project_index
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.gc_control import GcControl
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.running import result_record as records
from rubric_lsp.running.result_record import ResultRecord

CASES = 400
SUITE = "name: s\ntests:\n" + "".join(
    f"  - {{id: c{n}, criteria: Is polite, input: hello {n}}}\n" for n in range(CASES)
)


class Conversation:
    """A suite with a stored result for each case, and how often a fingerprint is worked out."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.worked_out, self._original = folder / "s.eval.yaml", 0, fingerprints.fingerprint
        monkeypatch.setattr(fingerprints, "fingerprint", self._fingerprint)
        monkeypatch.setattr(project_index, "_TURN", 0.0)
        self.uri = self.path.as_uri()
        self.path.write_text(SUITE, encoding="utf-8")
        self.documents = ClientWorkspace(Language(), GcControl())
        self.documents.open(self.uri, "eval-yaml", 0, SUITE)
        store(self.path, *(CaseResult(id=f"c{n}", verdict=Verdict.PASSED, score=1.0) for n in range(CASES)))
        self.record = ResultRecord(self.documents, lambda *_: None)

    def _fingerprint(self, *given: object) -> str:
        self.worked_out += 1
        return self._original(*given)  # type: ignore[arg-type]  # handed on

    @property
    def shown(self) -> dict[str, bool]:
        """Whether the result of each case is stale."""
        snapshot = self.documents.get(self.uri)
        assert snapshot is not None
        return {name: shown.stale for name, shown in self.record.results(snapshot).items()}

    def store_what_holds(self) -> None:
        """Results of the suite as it stands."""
        _ = self.shown
        known = self.record._suites[self.uri]
        at = "2999-01-01T00:00:00+00:00"
        last = [(case.last.result, case.fingerprint) for case in known.values() if case.last]
        store(self.path, *(replace(result, fingerprint=fingerprint, at=at) for result, fingerprint in last))


@pytest.fixture
def conversation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Conversation:
    made = Conversation(tmp_path, monkeypatch)
    snapshot = made.documents.get(made.uri)
    assert snapshot is not None
    assert len(snapshot.analysis.cases) == CASES
    return made


def test_others_are_answered_while_many_results_are_taken_in(conversation: Conversation) -> None:
    asyncio.run(conversation.record.load(conversation.uri, conversation.path))
    conversation.store_what_holds()
    conversation.record = ResultRecord(conversation.documents, lambda *_: None)
    turns: list[int] = []

    async def load() -> None:
        loading = asyncio.ensure_future(conversation.record.load(conversation.uri, conversation.path))
        while not loading.done():
            turns.append(conversation.worked_out)
            before = conversation.worked_out
            if not loading.done():
                assert conversation.shown == {}, "a result was shown before it was known whether it holds"
            assert conversation.worked_out == before
            await asyncio.sleep(0)

    asyncio.run(load())
    at_once = max(after - before for before, after in itertools.pairwise(turns))
    assert 0 < at_once <= records._AT_ONCE
    worked_out = conversation.worked_out
    assert conversation.shown == {f"c{n}": False for n in range(CASES)}
    assert conversation.worked_out == worked_out, "nothing is worked out again"


def test_what_changes_while_results_are_taken_in_makes_them_stale(conversation: Conversation) -> None:
    asyncio.run(conversation.record.load(conversation.uri, conversation.path))
    conversation.store_what_holds()
    conversation.record = ResultRecord(conversation.documents, lambda *_: None)
    worked_out = conversation.worked_out

    async def load() -> None:
        loading = asyncio.ensure_future(conversation.record.load(conversation.uri, conversation.path))
        while conversation.worked_out < worked_out + CASES // 2:
            await asyncio.sleep(0)
        text = SUITE.replace("hello 1}", "hallo 1}").replace("hello 399}", "hallo 399}")
        conversation.documents.change(conversation.uri, 1, [ContentChange(None, text)])
        await loading

    asyncio.run(load())
    assert {name for name, stale in conversation.shown.items() if stale} == {"c1", "c399"}


def test_a_case_that_is_done_works_out_no_other(conversation: Conversation) -> None:
    """In a run of thousands of cases, each would otherwise process all of them again."""
    asyncio.run(conversation.record.load(conversation.uri, conversation.path))
    conversation.store_what_holds()
    _ = conversation.shown
    before = conversation.worked_out
    for name in ("c3", "c4"):
        conversation.record.done(conversation.uri, CaseResult(id=name, verdict=Verdict.PASSED, score=1.0))
        assert conversation.shown[name], "its fingerprint is not that of the suite"
    assert conversation.worked_out == before + 2
    conversation.record.files_changed()  # as at the end of a run, whose programs may have changed files
    _ = conversation.shown
    assert conversation.worked_out == before + 2 + CASES


def test_of_two_cases_with_one_id_the_result_is_that_of_the_first(conversation: Conversation) -> None:
    asyncio.run(conversation.record.load(conversation.uri, conversation.path))
    text = f"{SUITE}  - {{id: c0, criteria: Is another one, input: hello}}\n"
    conversation.documents.open(conversation.uri, "eval-yaml", 1, text)
    _ = conversation.shown
    first = conversation.record._suites[conversation.uri]["c0"].fingerprint
    for _ in range(2):
        conversation.record.running(conversation.uri, "c1", "")  # something changes, so that all is looked at again
        _ = conversation.shown
        assert conversation.record._suites[conversation.uri]["c0"].fingerprint == first
