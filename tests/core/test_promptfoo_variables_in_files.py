"""Names in files of cases and in programs of promptfoo, by what the configurations that name them define."""

from dataclasses import fields
from pathlib import Path, PurePath

import pytest
from harness import LANGUAGE, ROOT, Folder, after

from rubric_core.analysis import Analysis, analyze
from rubric_core.analysis.file_uses import OutgoingReferences
from rubric_core.cli import main
from rubric_core.cli.check_result import CheckedFile
from rubric_core.cli.serialize import dumps, loads
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.loading.defined_names import DefinedNames, ReferableNames
from rubric_core.loading.program_uses import ProgramUse
from rubric_core.loading.project import Project

KINDS = {"cases.yaml": PromptfooFile.CASES, "cases.csv": PromptfooFile.TABLE}
USE = DefinedNames(frozenset({"question", "tone"}), frozenset())


def analysis_of(name: str, text: str, use: DefinedNames | None = USE) -> Analysis:
    kind = KINDS.get(name, PromptfooFile.PROGRAM)
    return analyze(text, LANGUAGE, path=PurePath("/x", name), kind=kind, defined_names=use)


def found_in(
    name: str, text: str, use: DefinedNames | None = USE, code: str = "promptfoo/undefined-variable"
) -> list[str]:
    """The place, the severity, the text below it and the message of every finding with a code."""
    analysis = analysis_of(name, text, use)
    found = [each for each in analysis.diagnostics if each.code == code]
    return [
        f"{analysis.document.position(each.span.start).line + 1} {each.severity} {text[slice(*each.span)]}: {each.message}"
        for each in found
    ]


CASES = [
    ("- vars: {question: hi}\n  assert: [{type: contains, value: 'a {{quesiton}}'}]\n", [
        "2 warning quesiton: this case has no value for `quesiton`; did you mean `question`?",
    ]),
    ("- vars: {question: hi}\n  assert: [{type: contains, value: '{{other}}'}]\n", ["2 error other: this case has no value for `other`"]),
    # What another case has may be meant for all.
    ("- vars: {question: hi}\n  assert: [{type: contains, value: 'a {{tone}} {{env.HOME}}'}]\n", []),
    ("- vars: {own: hi}\n  options: {storeOutputAs: first}\n  assert: [{type: contains, value: 'a {{own}} {{first}}'}]\n", []),
    ("- vars: file://vars.yaml\n  assert: [{type: contains, value: 'a {{other}}'}]\n", []),
    ("- vars: {question: hi}\n  assert:\n    - type: javascript\n      value: output === context.vars.quesiton\n", [
        "4 warning quesiton: no case has a value for `quesiton`; did you mean `question`?",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_names_in_cases(text: str, expected: list[str]) -> None:
    assert found_in("cases.yaml", text) == expected
    assert found_in("cases.yaml", text, None) == []
    assert found_in("cases.yaml", text, DefinedNames(None, None)) == []


PROGRAMS = [
    ("p.js", "module.exports = ({vars}) => vars.quesiton;\n", ["1 warning quesiton"]),
    ("p.js", "module.exports = (output, context) => context.vars['quesiton'] + context?.vars?.tone;\n", ["1 warning quesiton"]),
    ("p.js", "// vars.quesiton\nmodule.exports = ({vars}) => vars.other ?? vars.map(x => x);\n", []),
    ("p.js", "module.exports = ({vars}) => { vars.questions = 1; return vars.questions; };\n", []),
    ("p.js", "module.exports = (output, {vars}) => { const {quesiton, tone: tonne} = vars; return quesiton; };\n", ["1 warning quesiton"]),
    ("p.py", 'def f(context):\n    return context["vars"]["quesiton"] + context["vars"].get("tonne")\n', ["2 warning quesiton", "2 warning tonne"]),
    ("p.py", 'def f(context):\n    vars = context["vars"]\n    vars["questions"] = 1\n    return vars["question"], vars.get("x")\n', []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), PROGRAMS)
def test_slips_in_programs(name: str, text: str, expected: list[str]) -> None:
    assert [each.partition(":")[0] for each in found_in(name, text)] == expected
    assert found_in(name, text, None) == []


def test_what_fixes_make_of_them() -> None:
    text = "module.exports = ({vars}) => vars.quesiton;\n"
    (found,) = analysis_of("p.js", text).diagnostics
    (fix,) = found.fixes
    assert not fix.safe
    assert after(text, fix) == text.replace("quesiton", "question")
    text = "- vars: {question: hi}\n  assert: [{type: contains, value: 'a {{quesiton}}'}]\n"
    (found,) = analysis_of("cases.yaml", text).diagnostics
    (fix,) = found.fixes
    assert fix.safe
    assert after(text, fix) == text.replace("quesiton", "question")


NEEDED = DefinedNames(USE.variables, frozenset(), frozenset({"question", "tone"}), frozenset({"question"}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "- vars: {quesiton: hi}\n",
            ["quesiton: no prompt uses `quesiton`; did you mean `question`, which this case lacks?"],
        ),
        ("- vars: {question: hi, quesiton: ho}\n", []),
        ("- vars: {tonne: hi}\n", []),
        ("- vars: {quesiton: hi}\n  assert: [{type: contains, value: '{{quesiton}}'}]\n", []),
    ],
)
def test_a_misspelt_variable_of_a_case(text: str, expected: list[str]) -> None:
    analysis = analysis_of("cases.yaml", text, NEEDED)
    found = [each for each in analysis.diagnostics if each.code == "promptfoo/unused-variable"]
    assert [f"{text[slice(*each.span)]}: {each.message}" for each in found] == expected
    assert not [
        each for each in analysis_of("cases.yaml", text).diagnostics if each.code == "promptfoo/unused-variable"
    ]


def test_what_several_configurations_define_together() -> None:
    other = DefinedNames(frozenset({"place"}), frozenset({"shout"}), frozenset({"place"}), frozenset())
    joined = DefinedNames.joined([NEEDED, other])
    assert joined == DefinedNames(
        frozenset({"question", "tone", "place"}), frozenset({"shout"}), frozenset({"question", "tone", "place"}), frozenset()
    )  # fmt: skip
    assert DefinedNames.joined([NEEDED, DefinedNames()]) == DefinedNames()
    assert DefinedNames.joined([NEEDED, None]) is None


def test_a_check_knows_what_the_configuration_defines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(
        "prompts: ['{{question}} {{first}}', file://p.js]\nproviders: [echo]\ntests: file://cases.yaml\n", encoding="utf-8"
    )  # fmt: skip
    (tmp_path / "p.js").write_text(PROGRAMS[0][1], encoding="utf-8")
    (tmp_path / "cases.yaml").write_text(
        f"{CASES[0][0]}- {{vars: {{question: ho}}, options: {{storeOutputAs: first}}}}\n", encoding="utf-8"
    )
    main(["check", str(tmp_path), "--format", "github"])
    shown = capsys.readouterr().out
    assert shown.count("::warning") == 2
    assert "cases.yaml,line=2" in shown
    assert "p.js,line=1" in shown


def test_a_check_knows_what_files_of_cases_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text(
        "prompts: ['{{word}}']\nproviders: [echo]\ntests: [file://cases.yaml]\n", encoding="utf-8"
    )
    (tmp_path / "cases.yaml").write_text(
        "- vars: {word: hi}\n  assert: [{type: javascript, value: 'file://rules.js:short'}]\n", encoding="utf-8"
    )
    (tmp_path / "rules.js").write_text(
        "function short(output) {\n  return { pass: output.length < 9, reason: 'short' };\n}\nmodule.exports = { short };\n",
        encoding="utf-8",
    )
    main(["check", str(tmp_path), "--format", "github", "--no-cache"])
    shown = capsys.readouterr().out
    assert "rules.js,line=2" in shown
    assert "this result has no `score`" in shown


REFERENCES = [
    ("- {vars: {x: a}, prompts: [shrot]}\n", ["1 error shrot: there is no prompt `shrot`; did you mean `short`?"]),
    ("- {vars: {x: a}, prompts: [short, 'sh*'], providers: [judge, echo]}\n", []),
    ("- vars: {x: a}\n  providers: [jugde, other]\n", [
        "2 error jugde: there is no provider `jugde`; did you mean `judge`?",
        "2 error other: there is no provider `other`",
    ]),
    ("- vars: {x: a}\n  assert: [{type: llm-rubric, value: ok, provider: jugde}]\n", [
        "2 error jugde: there is no provider `jugde`; did you mean `judge`?",
    ]),
    ("- vars: {x: a}\n  options: {provider: judge}\n  assert: [{type: llm-rubric, value: ok, provider: 'openai:gpt-5'}]\n", []),
]  # fmt: skip
PROMPTS, PROVIDERS, LABELS = frozenset({"short"}), frozenset({"judge", "echo"}), frozenset({"judge"})


@pytest.mark.parametrize(("text", "expected"), REFERENCES)
def test_references_of_cases(text: str, expected: list[str]) -> None:
    use = DefinedNames(references=ReferableNames(PROMPTS, PROVIDERS, LABELS))
    assert found_in("cases.yaml", text, use, code="promptfoo/unknown-label") == expected
    assert found_in("cases.yaml", text, None, code="promptfoo/unknown-label") == []
    # Beside programs, which name themselves, only slips of labels are certain.
    use = DefinedNames(references=ReferableNames(None, None, LABELS))
    assert found_in("cases.yaml", text, use, code="promptfoo/unknown-label") == [
        each for each in expected if "judge" in each
    ]


def test_several_configurations_may_name_what_each_has() -> None:
    some, others = (
        ReferableNames(PROMPTS, PROVIDERS, LABELS),
        ReferableNames(frozenset({"long"}), None, frozenset({"b"})),
    )
    joined = DefinedNames.joined([DefinedNames(references=some), DefinedNames(references=others)])
    assert joined is not None
    assert joined.references == ReferableNames(frozenset({"short", "long"}), None, frozenset({"judge", "b"}))


def test_outputs_to_compare_in_cases() -> None:
    text = "- vars: {word: a}\n  assert: [{type: select-best, value: shortest}]\n"
    (found,) = found_in("cases.yaml", text, DefinedNames(has_one_output=True), code="promptfoo/too-few-outputs")
    assert "there is one" in found
    assert found_in("cases.yaml", text, DefinedNames(), code="promptfoo/too-few-outputs") == []
    # Each configuration that names the file has to have one output only.
    joined = DefinedNames.joined([DefinedNames(has_one_output=True), DefinedNames()])
    assert found_in("cases.yaml", text, joined, code="promptfoo/too-few-outputs") == []


TABLES = [
    ("quesiton,tone\nhi,calm\n", ["1 warning quesiton: no prompt uses `quesiton`; did you mean `question`, which this table lacks?"]),
    ("question,tonne\nhi,calm\n", ["1 warning tonne: no prompt uses `tonne`; did you mean `tone`, which this table lacks?"]),
    # A check uses it, or the table has the other one as well.
    ("quesiton,tone,__expected\nhi,calm,contains:{{quesiton}}\n", []),
    ("question,questions,tone\nhi,ho,calm\n", []),
    ("answer,tone\nhi,calm\n", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TABLES)
def test_columns_of_tables(text: str, expected: list[str]) -> None:
    names = frozenset({"question", "tone"})
    assert found_in("cases.csv", text, DefinedNames(names, None, names, names), code="promptfoo/table") == expected
    assert found_in("cases.csv", text, DefinedNames(names, None, names), code="promptfoo/table") == []
    assert found_in("cases.csv", text, None, code="promptfoo/table") == []


BESIDE = [
    ("[{vars: {topic: b}}]", {"question", "topic"}),
    ("[{vars: {topic: b}}, file://scenario.yaml]", None),
]


@pytest.mark.parametrize(("scenario", "needed"), [*BESIDE, ("[file://cases.yaml]", None)])
def test_names_of_scenarios_are_not_those_of_the_list(scenario: str, needed: set[str] | None) -> None:
    text = f"""\
prompts: ["Say {{{{question}}}} about {{{{topic}}}}", file://more.py]
providers: [echo]
scenarios:
  - config: [{{vars: {{question: a}}}}]
    tests: {scenario}
tests:
  - vars: {{question: hi, topic: ho}}
  - file://cases.yaml
"""
    files = Folder(
        {
            "promptfooconfig.yaml": text,
            "cases.yaml": "- vars: {question: hi, topic: ho}\n",
            "scenario.yaml": "[]\n",
            "more.py": "",
        }
    )
    path = ROOT / "promptfooconfig.yaml"
    found = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=Project(files)).defined_names
    assert found is not None
    assert found.needed == frozenset(needed or ())
    assert (found.asked is None) == (needed is None)


@pytest.mark.parametrize(
    ("more", "settings"),
    [
        ("tests: [{vars: {word: hi}}]", ("basePath", "limit")),
        ("tests: file://cases.yaml", ()),
        ("targets: [{id: 'python:ask.py', config: {limit: 1}}, file://more.yaml]", ()),
    ],
)
def test_the_settings_of_a_program_are_known_where_no_other_file_may_give_more(
    more: str, settings: tuple[str, ...]
) -> None:
    files = Folder(
        {
            "ask.py": "def call_api(prompt, options, context):\n    return {'output': prompt}\n",
            "cases.yaml": "- {vars: {word: hi}, provider: {id: 'python:ask.py', config: {limits: 1}}}\n",
            "more.yaml": "- {id: 'python:ask.py', config: {limits: 1}, label: b}\n",
        }
    )
    text = f"prompts: ['Say {{{{word}}}}']\nproviders: [{{id: 'python:ask.py', config: {{limit: 1}}}}]\n{more}\n"
    path = ROOT / "promptfooconfig.yaml"
    found = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path, project=Project(files)).defined_names
    assert found is not None
    assert {use.settings for use in found.programs} == {settings}


def test_what_configurations_define_survives_being_packed() -> None:
    names = frozenset({"a", "b"})
    references = ReferableNames(names, None, LABELS)
    programs = frozenset({ProgramUse(Path("/a/check.py"), "assertion", "get_assert", ("basePath",))})
    whole = DefinedNames(
        names,
        names,
        names,
        names,
        references,
        names,
        is_open=True,
        members=names,
        lacked=names,
        unused=names,
        shared=names,
        asserted=names,
        is_judged_by_value=True,
        environment=names,
        shown=names,
        programs=programs,
        has_one_output=True,
    )
    assert all(getattr(whole, each.name) for each in fields(DefinedNames))
    for use in (whole, DefinedNames(), DefinedNames(references=ReferableNames(None, names, frozenset())), None):
        references = OutgoingReferences({Path("/w/x"): PromptfooFile.PROMPT}, "promptfoo", True, None, use)
        row = dumps(CheckedFile("a", LANGUAGE.document("", Path("/w/a")), (), references=references))
        assert loads(row, "").references == references
