"""Providers and defaults in files of their own: a check, completion and a run find the same ones, in every layout."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from suites import LANGUAGE

from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.target_choice import shared_targets, target_name
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.targets.resolve import load_targets
from rubric_core.loading.known_names import known_targets
from rubric_core.loading.project import Project
from rubric_core.loading.target_files import find_targets

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
#: The releases with `.agentv/config.yaml` that names targets, and their dialect.
RELEASES = ("v5.3.1-next.1", "HEAD")
SUITE = """\
# rubric: dialect=agentv-5
prompts: ["{{ input }}"]
tests: [{id: a, vars: {input: hi}, assert: [{type: contains, value: seen}]}]
"""
BOT = "{id: mock, label: bot, config: {response: seen}}"
JUDGE = "{id: mock, label: judge, config: {response: judged}}"
LIST = f"- {BOT}\n- {JUDGE}\n"
USUAL = "provider: bot\ngrader: judge\n"
IN_FILE = "providers: file://providers.yaml\n"
#: Files around `evals/suite.yaml`, by what is special about them.
LAYOUTS: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "a list that a configuration names": {
        ".agentv/config.yaml": f"{IN_FILE}defaults: file://defaults.yaml\n", ".agentv/providers.yaml": LIST, ".agentv/defaults.yaml": USUAL,
    },
    "files with other names": {
        ".agentv/config.yaml": "providers: file://catalogue.yaml\ndefaults: file://usual.yaml\n", ".agentv/catalogue.yaml": LIST,
        ".agentv/usual.yaml": USUAL,
    },
    "a list in a list": {
        ".agentv/config.yaml": f"providers: [file://catalogue.yaml, {JUDGE}]\ndefaults: {{provider: bot, grader: judge}}\n",
        ".agentv/catalogue.yaml": f"- {BOT}\n",
    },
    "a mapping in a file": {
        ".agentv/config.yaml": "providers: file://more.yaml\ndefaults: file://usual.yaml\n", ".agentv/more.yaml": f"providers: [{BOT}, {JUDGE}]\n",
        ".agentv/usual.yaml": USUAL,
    },
    "targets and graders": {
        ".agentv/config.yaml": "targets: file://targets.yaml\ngraders: file://graders.yaml\ndefaults: file://defaults.yaml\n",
        ".agentv/targets.yaml": "- {id: bot, provider: mock, config: {response: seen}}\n",
        ".agentv/graders.yaml": "- {id: judge, provider: mock, config: {response: judged}}\n",
        ".agentv/defaults.yaml": "target: bot\ngrader: judge\n",
    },
    "a list beside the configuration": {"providers.yaml": LIST, ".agentv/config.yaml": "defaults: {provider: bot, grader: judge}\n"},
    "a file that names another": {
        "providers.yaml": "providers: [file://more.yaml]\ndefaults: file://usual.yaml\n", "more.yaml": LIST, "usual.yaml": USUAL,
    },
    "an entry whose only key is its id": {
        ".agentv/config.yaml": "providers: file://providers.yaml\ndefaults: {provider: mock, grader: judge}\n",
        ".agentv/providers.yaml": f"- {{id: mock, config: {{response: seen}}}}\n- {JUDGE}\n",
    },
})  # fmt: skip


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for name, text in {**LAYOUTS[request.param], "evals/suite.yaml": SUITE, ".git/HEAD": "ref: x\n"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


async def test_a_run_finds_the_provider_and_the_judge(layout: Path) -> None:
    loaded = load_suite(layout / "evals" / "suite.yaml")
    async with system_ports() as ports:
        (result,) = await run_cases([each for case in loaded.cases for each in variations(case)], ports)
        assert (result.verdict, result.reason) == (Verdict.PASSED, "")
        targets = load_targets(layout / "evals", DiskFiles())
        judge = targets.default_judge()
        assert judge == "judge"
        assert targets.answering(judge, ports).entry.name == "judge"


def test_a_check_and_completion_know_the_same_names(layout: Path) -> None:
    targets = load_targets(layout / "evals", DiskFiles())
    known = known_targets(Project(DiskFiles()).look(), layout / "evals")
    assert targets.file is not None
    assert {each.name for each in targets.file.entries} == set(known.names)
    assert (known.more, known.defaults) == (False, frozenset(targets.file.defaults.values()))


def test_a_check_finds_nothing_in_these_files(layout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither an error, nor a target that nothing uses."""
    main(["check", str(layout), "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert [f"{each['path']}: {each['message']}" for each in found] == []


def test_a_file_that_is_not_there_is_no_list_of_all_names(tmp_path: Path) -> None:
    (tmp_path / ".agentv").mkdir()
    (tmp_path / ".agentv" / "config.yaml").write_text(f"providers: [file://missing.yaml, {BOT}]\n", encoding="utf-8")
    known = known_targets(Project(DiskFiles()).look(), tmp_path)
    assert (set(known.names), known.more) == ({"bot"}, True)


def corpus_suites() -> Iterator[Path]:
    for release in RELEASES:
        for path in sorted((CORPUS / release).rglob("*.yaml")):
            if path.parent.name == "evals" and re.search(
                r"^(tests|evalcases):", path.read_text(encoding="utf-8"), re.MULTILINE
            ):
                yield path


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the checkout")
@pytest.mark.parametrize("path", list(corpus_suites()), ids=lambda path: str(path.relative_to(CORPUS)))
async def test_real_layouts_are_loaded_as_a_run_loads_them(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target of every suite that has one around it is read whole, with the judge, as soon as its variables are set."""
    loaded = load_suite(path, LANGUAGE, Project(DiskFiles()))
    rows = variations(loaded.cases[0])
    targets = shared_targets(rows[0], DiskFiles())
    if targets.file is None:
        assert find_targets(path.parent, DiskFiles()) is None
        return
    for entry in targets.file.entries:
        for name in re.findall(r"env\.(\w+)|\$\{\{ *(\w+)", str(entry.settings)):
            monkeypatch.setenv(name[0] or name[1], "http://127.0.0.1:1")
    async with system_ports() as ports:
        named = [target_name(each.suite, each.options.target, targets) for each in rows]
        for name in filter(None, (*named, targets.default_judge())):
            assert targets.answering(name, ports).entry.name


@pytest.mark.parametrize("written", ["file://more.yaml", "[file://more.yaml]", "[bot, file://other.yaml]"])
async def test_a_suite_is_run_with_every_provider_of_a_file(written: str, tmp_path: Path) -> None:
    other = "- {id: mock, label: other, config: {response: seen}}\n"
    (tmp_path / "providers.yaml").write_text(LIST, encoding="utf-8")
    (tmp_path / "more.yaml").write_text(f"- {BOT}\n{other}", encoding="utf-8")
    (tmp_path / "other.yaml").write_text(other, encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(f"{SUITE}providers: {written}\n", encoding="utf-8")
    rows = [each for case in load_suite(tmp_path / "suite.yaml").cases for each in variations(case)]
    assert [each.options.target for each in rows] == ["bot", "other"]
    async with system_ports() as ports:
        assert {each.verdict for each in await run_cases(rows, ports)} == {Verdict.PASSED}
