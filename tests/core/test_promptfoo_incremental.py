"""A configuration of promptfoo after an edit is understood as one that is read afresh, whichever rules are asked again."""

import random
import re
from pathlib import Path

import pytest
from harness import LANGUAGE, ROOT, Folder
from thorough import seeds

from rubric_core.analysis import Analysis, analyze
from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.cross_case import reusable
from rubric_core.analysis.family_cross_case import cross_case_of
from rubric_core.families.promptfoo.analysis.cross_case import facts_of_cases
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.loading.project import Project
from rubric_core.text import Edit, Span

TEXT = """\
prompts: ["Say {{word}} to {{name}}", {raw: "x {{lang}} {{name.first}}", label: short}]
providers: [{id: "openai:gpt-5", label: big}, echo]
defaultTest: {vars: {lang: fr}}
derivedMetrics: [{name: all, value: tone + style}]
tests:
  - description: one
    vars: {word: hi, name: Ann}
    providers: [big]
    assert: [{type: contains, value: "{{name}}", metric: tone}]
  - description: two
    vars: {word: {a: 1}, unused: 2}
    prompts: [short]
    assert: [{type: llm-rubric, value: "{{word}} {{env.CITY}}", provider: big, metric: style}]
  - description: three
    vars: {word: ho, name: Bea}
    options: {storeOutputAs: kept}
    assert: [{type: select-best, value: "{{kept}}"}, {type: is-json}]
  - vars: {word: ha}
    assert: [{$ref: "#/tests/1/assert/0"}]
"""
ANCHORED = f"""\
x-checks: {{short: &short {{type: contains, value: hi}}, case: &case {{vars: {{word: hi}}, assert: [*short]}}}}
{TEXT}  - *case
  - {{vars: {{word: hi}}, assert: [*short, {{<<: *short, metric: style}}]}}
"""
#: One of these takes the place of another.
WORDS = (
    "one", "two", "three", "word", "name", "unused", "kept", "lang", "tone", "style", "big", "short", "echo", "small", "contains", "is-json",
    "select-best", "env.CITY", "env.LAND", "env.API_KEY", "target", "assert", "asserts", "vars", "options", "providers", "prompts", "description", "{a: 1}", "hi", "kept it",
)  # fmt: skip
PATH = Path("/w/promptfooconfig.yaml")
_WORD = re.compile("|".join(map(re.escape, sorted(WORDS, key=len, reverse=True))))


def understood(analysis: Analysis) -> list[object]:
    return [(d.code, d.severity, d.span, d.message, d.fixes, d.related) for d in analysis.every]


def edited(before: Analysis, edit: Edit) -> Analysis:
    return analyze(before.document.edited(edit), LANGUAGE, path=PATH, previous=before)


@pytest.mark.parametrize("written", [TEXT, ANCHORED], ids=["plain", "anchors"])
@pytest.mark.parametrize("seed", seeds(6, few=2))
def test_random_edits_are_understood_as_if_read_afresh(seed: int, written: str) -> None:
    rng = random.Random(seed)
    now = analyze(LANGUAGE.document(written, PATH), LANGUAGE, path=PATH)
    for _ in range(60):
        text = now.document.text
        found = rng.choice([*_WORD.finditer(text)])
        now = edited(now, Edit(Span(*found.span()), rng.choice(WORDS)))
        fresh = analyze(LANGUAGE.document(now.document.text, PATH), LANGUAGE, path=PATH)
        assert understood(now) == understood(fresh), now.document.text
        if rng.random() < 0.2:
            now = analyze(LANGUAGE.document(written, PATH), LANGUAGE, path=PATH)


@pytest.mark.parametrize("seed", range(6))
def test_what_prompts_may_use_is_that_of_a_configuration_read_afresh(seed: int) -> None:
    rng = random.Random(seed)
    project = Project(Folder({"say.txt": "Say {{word}}\n"}))
    path = ROOT / "promptfooconfig.yaml"
    written = TEXT.replace("prompts: [", "nunjucksFilters: {short: s.js}\nprompts: [file://say.txt, ", 1)

    def fresh(text: str) -> Analysis:
        return analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=project)

    now, uses = fresh(written), set()
    for _ in range(60):
        found = rng.choice([*_WORD.finditer(now.document.text)])
        edit = Edit(Span(*found.span()), rng.choice(WORDS))
        now = analyze(now.document.edited(edit), LANGUAGE, path=path, previous=now, project=project)
        assert now.defined_names == fresh(now.document.text).defined_names, now.document.text
        uses.add(now.defined_names)
        if rng.random() < 0.2:
            now = fresh(written)
    assert len(uses) > 5


def test_a_case_that_is_the_first_to_name_a_file_needs_names() -> None:
    project, path = Project(Folder({"judge.txt": "{{output}} {{wrod}}\n"})), ROOT / "promptfooconfig.yaml"
    case = "  - {vars: {word: hi}, assert: [{type: llm-rubric, value: x, rubricPrompt: FILE}]}\n"
    written = f"prompts: ['{{{{word}}}}']\nproviders: [echo]\ntests:\n{case.replace('FILE', '{{output}}')}{case}"
    now = analyze(LANGUAGE.document(written, path), LANGUAGE, path=path, project=project)
    for old, new in (
        ("FILE", "file://judge.txt"),
        ("file://judge.txt", "'{{output}}'"),
        ("'{{output}}'", "file://judge.txt"),
    ):
        at = now.document.text.index(old)
        now = analyze(
            now.document.edited(Edit(Span(at, at + len(old)), new)), LANGUAGE, path=path, previous=now, project=project
        )  # fmt: skip
        fresh = analyze(LANGUAGE.document(now.document.text, path), LANGUAGE, path=path, project=project)
        assert now.defined_names == fresh.defined_names, now.document.text
        assert (now.defined_names is not None) == ("judge.txt" in now.document.text)


def test_paths_in_cases_count_from_no_folder_once_the_configuration_is_gone() -> None:
    files, path = Folder({PATH.name: "prompts: [hi]\ntests: file://cases.yaml\n"}), ROOT / "cases.yaml"
    project = Project(files)
    written = LANGUAGE.document("- vars: {word: file://no.txt}\n- vars: {word: hi}\n", path, PromptfooFile.CASES)
    now = analyze(written, LANGUAGE, path=path, kind=PromptfooFile.CASES, project=project)
    assert [d.message for d in now.diagnostics] == ["there is no file `no.txt`"]
    gone = next(iter(files.files))
    del files.files[gone]
    project.changed([gone, gone.parent])
    at = written.text.index("hi")
    again = written.edited(Edit(Span(at, at + 2), "ho"))
    now = analyze(again, LANGUAGE, path=path, kind=PromptfooFile.CASES, project=project, previous=now)
    assert now.diagnostics == ()


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        ("description: one", "description: two", {"duplicate-entry"}),
        ("metric: tone", "metric: tune", {"unknown-metric"}),
        ("providers: [big]", "providers: [bug]", {"unknown-label", "too-few-outputs", "invalid-value"}),
        ("word: hi", "word: hello", set[str]()),
    ],
)
def test_only_rules_that_read_what_was_edited_look_again(old: str, new: str, again: set[str]) -> None:
    before = analyze(LANGUAGE.document(TEXT, PATH), LANGUAGE, path=PATH)
    at = TEXT.index(old)
    now = edited(before, Edit(Span(at, at + len(old)), new))
    partly = reusable(cross_case_of(now.kind), before, now, BlockChange.between(before, now.document, now.frame))
    assert partly is not None
    assert set(partly[1]) == again


def test_every_rule_across_cases_has_facts() -> None:
    """A rule that has none would never look again after an edit in a case."""
    analysis = analyze(LANGUAGE.document(TEXT, PATH), LANGUAGE, path=PATH)
    facts = facts_of_cases(analysis, next(b for b in analysis.document.blocks if b.key))
    assert {rule.group for rule in LANGUAGE.visitors(PromptfooSuite, "promptfoo")} == set(facts[0])
