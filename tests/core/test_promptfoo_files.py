"""A configuration of promptfoo is read as such: no finding, no fix and no migration takes it for a suite of agentv."""

import json
from pathlib import Path, PurePath

import pytest

from rubric_core.analysis import analyze
from rubric_core.cli import main
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.language.file_kinds import FileKind
from rubric_core.text import apply_edits

CONFIG = """\
description: Greets
prompts: ["Say {{word}}"]
providers: [echo]
defaultTest:
  assert:
    - {type: contains, value: hello}
tests:
  - vars: {word: hi}
    assert:
      - {type: icontains, value: hi}
"""
#: The same without anything that tells promptfoo from agentv-5.
NEUTRAL = CONFIG.replace("defaultTest:\n  assert:\n    - {type: contains, value: hello}\n", "")
SCHEMA = "# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("promptfooconfig.yaml", NEUTRAL),
        ("promptfooconfig.support.yml", NEUTRAL),
        ("suite.yaml", SCHEMA + NEUTRAL),
        ("suite.yaml", "\ufeff" + SCHEMA + NEUTRAL),
        ("suite.yaml", "# rubric: dialect=promptfoo\n" + NEUTRAL),
        ("suite.eval.yaml", SCHEMA + NEUTRAL),
        ("suite.yaml", CONFIG),
        ("suite.yaml", NEUTRAL + "evaluateOptions: {maxConcurrency: 2}\n"),
        ("suite.yaml", NEUTRAL + "redteam: {purpose: x}\n"),
        ("suite.yaml", CONFIG + "  - file://more.yaml\n"),
        ("promptfoo.yaml", NEUTRAL),
        (
            "promptfoo.yaml",
            "providers: [echo]\ntests:\n  - vars: {word: hi}\n    assert: [{type: contains, value: hi}]\n",
        ),
        ("chat-promptfoo.yml", NEUTRAL),
        ("chat.promptfooconfig.yaml", NEUTRAL),
        ("orchestrator.yaml", NEUTRAL),  # what agentv's users call a suite tells which program finds it
    ],
)
def test_it_is_known_by_its_name_its_schema_or_its_keys(name: str, text: str) -> None:
    analysis = analyze(text, path=PurePath("/w/evals") / name)
    assert (analysis.kind, analysis.dialect) == (PromptfooFile.CONFIGURATION, PROMPTFOO)
    assert analysis.is_eval_yaml(PurePath("/w/evals") / name) is True
    assert [each.code for each in analysis.diagnostics] == ["syntax-error"] * text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("suite.yaml", NEUTRAL),
        ("eval.yaml", NEUTRAL),
        ("promptfoo.eval.yaml", NEUTRAL),
        ("orchestrator.yaml", NEUTRAL.replace("- vars", "- id: greets\n    vars")),
        ("orchestrator.yaml", NEUTRAL.replace("providers:", "targets:")),
        ("suite.eval.yaml", CONFIG),  # nobody but agentv's users calls files this
        ("suite.yaml", CONFIG + "default_test: {threshold: 1}\n"),
        ("suite.yaml", CONFIG.replace("- vars", "- id: greets\n    vars")),
        ("promptfooconfig.eval.yaml", NEUTRAL + "default_test: {threshold: 1}\n"),
        ("promptfooconfig.yaml", "# rubric: dialect=agentv-5\n" + CONFIG),
        ("suite.yaml", NEUTRAL + "defaultTest\n"),  # still being typed
    ],
)
def test_what_agentv_has_too_does_not_tell(name: str, text: str) -> None:
    assert analyze(text, path=PurePath("/w/evals") / name).kind is FileKind.SUITE


FOREIGN = {
    "assert": "assert: [{type: contains, value: a}]\n",
    "name": "name: greetings\n",
    "version": "version: 1\n",
    "threshold": "threshold: 0.5\n",
    "default_test": "default_test: {threshold: 1}\n",
    "evaluators": "evaluators: []\n",
}


@pytest.mark.parametrize("key", FOREIGN)
@pytest.mark.parametrize("name", ["bot-promptfoo.yaml", "promptfoo.yaml", "suite.yaml", "my_config.yaml"])
def test_one_key_of_agentv_is_a_slip_where_all_else_is_promptfoos(name: str, key: str) -> None:
    text = (SCHEMA if name == "suite.yaml" else "") + NEUTRAL + FOREIGN[key]
    analysis = analyze(text, path=PurePath("/w/evals") / name)
    assert analysis.kind is PromptfooFile.CONFIGURATION
    assert [found.code for found in analysis.diagnostics] == ["promptfoo/unknown-key"]
    cases = text.replace("- vars", "- id: greets\n    criteria: greets\n    vars")
    assert analyze(cases, path=PurePath("/w/evals") / name).kind is FileKind.SUITE, "each case says so"


def test_a_key_that_tells_comes_and_goes_while_it_is_typed() -> None:
    path = PurePath("/w/evals/suite.yaml")
    before = analyze(NEUTRAL + "unknown: 1\n", path=path)
    typed = analyze(CONFIG + "unknown: 1\n", path=path, previous=before)
    assert (before.kind, typed.kind) == (FileKind.SUITE, PromptfooFile.CONFIGURATION)
    assert [found.code for found in before.diagnostics] == ["unknown-key"]
    assert [(found.code, found.severity) for found in typed.diagnostics] == [("promptfoo/unknown-key", "hint")]
    again = analyze(NEUTRAL + "unknown: 1\n", path=path, previous=typed)
    assert again.diagnostics == before.diagnostics


@pytest.mark.parametrize(
    "command",
    [
        ["check", "promptfooconfig.yaml"],
        ["check", "--fix", "promptfooconfig.yaml"],
        ["check", "--fix", "."],
        ["migrate", "--to", "agentv-5", "."],
        ["migrate", "--to", "agentv-3", "promptfooconfig.yaml"],
    ],
)
def test_no_command_touches_it(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check --fix` renamed `defaultTest`, and a suite that failed passed from then on."""
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    main(command)
    assert config.read_text(encoding="utf-8") == CONFIG
    assert [each.name for each in tmp_path.iterdir()] == [config.name]
    said = capsys.readouterr()
    assert (
        "no findings" if "check" in command else "no suites" if "." in command else "promptfoo"
    ) in said.out + said.err


def test_a_migration_that_names_it_writes_a_suite_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "promptfooconfig.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    assert main(["migrate", "--to", "agentv-5", config.name]) == 0
    assert config.read_text(encoding="utf-8") == CONFIG
    assert {each.name for each in tmp_path.iterdir()} == {config.name, "promptfoo.eval.yaml"}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("test:\n", "tests:\n"),
        ("    asserts:\n", "    assert:\n"),
        ("      - {type: icontain, value: hi}", "      - {type: icontains, value: hi}"),
        ("      - {type: icontains, value: hi, wieght: 2}", "      - {type: icontains, value: hi, weight: 2}"),
        ("default_test:\n", "defaultTest:\n"),
    ],
)
def test_the_first_fix_gives_what_was_meant(wrong: str, right: str) -> None:
    """Compared both ways: the intended text has no finding, and the fix of the wrong text gives exactly the intended one."""
    path = PurePath("/w/promptfooconfig.yaml")
    meant = CONFIG.replace("      - {type: icontains, value: hi}", right) if right.startswith("      -") else CONFIG
    written = meant.replace(right, wrong) if right.startswith("      -") else _once(CONFIG, right, wrong)
    assert analyze(meant, path=path).diagnostics == ()
    found = analyze(written, path=path).diagnostics
    assert [len(each.fixes) > 0 for each in found] == [True]
    assert apply_edits(written, found[0].fixes[0].edits) == meant


def _once(text: str, old: str, new: str) -> str:
    """The last `old` of a text replaced: the first may stand in `defaultTest`."""
    before, _, after = text.rpartition(old)
    return f"{before}{new}{after}"


def test_an_agentv_suite_knows_nothing_of_it() -> None:
    """Keys of promptfoo are in no suite's list of keys of other dialects."""
    found = analyze("tests:\n  - {id: a, input: hi, criteria: x, storeOutputAs: y}\n", path=PurePath("/w/a.eval.yaml"))
    assert [each.code for each in found.diagnostics] == ["unknown-key"]
    assert PROMPTFOO.name not in found.diagnostics[0].message


def test_a_folder_is_searched_for_its_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`check` and `run` take them; a migration, which is for suites of agentv, leaves them alone."""
    monkeypatch.chdir(tmp_path)
    wrong = CONFIG.replace("assert:", "asserts:")
    (tmp_path / "evals").mkdir()
    for name in (
        "promptfooconfig.yaml",
        "evals/promptfooconfig.support.yml",
        "evals/other.yaml",
        "promptfoo.yaml",
        "chat-promptfoo.yml",
        "notes.yaml",
    ):
        (tmp_path / name).write_text(wrong, encoding="utf-8")
    as_json = '{"prompts": ["Hi"], "providers": ["echo"], "test": []}\n'
    (tmp_path / "promptfooconfig.json").write_text(as_json, encoding="utf-8")
    (tmp_path / "package.json").write_text(as_json, encoding="utf-8")
    workflow = "on: push\njobs:\n  tests: {runs-on: ubuntu-latest, steps: [{run: npx promptfoo eval}]}\n"
    (tmp_path / "run-promptfoo.yml").write_text(workflow, encoding="utf-8")
    (tmp_path / "evals/promptfoo-before.yaml").write_text(
        "evalcases:\n  - {id: a, conversation_id: b, expected_messages: [], outcome: x, input: hi, zzz: 1}\n",
        encoding="utf-8",
    )
    (tmp_path / "promptfoo.recordings.yaml").write_text("tests: []\n", encoding="utf-8")
    assert main(["check", "."]) == 0  # warnings
    said = capsys.readouterr().out
    found = {line.partition(":")[0] for line in said.splitlines() if "unknown-key]" in line}
    assert found == {
        "promptfooconfig.yaml", "promptfooconfig.json", "evals/promptfooconfig.support.yml", "evals/other.yaml", "promptfoo.yaml",
        "chat-promptfoo.yml", "evals/promptfoo-before.yaml", "notes.yaml",
    }  # fmt: skip
    for name in sorted(found - {"promptfooconfig.json"}):
        (tmp_path / name).write_text(CONFIG, encoding="utf-8")
    (tmp_path / "promptfooconfig.json").unlink()
    main(["run", ".", "--format", "jsonl"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["dialect"] for row in rows} == {PROMPTFOO.name}
    assert main(["migrate", "--to", "agentv-5", "."]) != 0
    assert "no suites in this folder" in capsys.readouterr().err


def test_files_of_cases_are_checked_where_a_configuration_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Positions are those of the files themselves; a table, YAML and JSON that nobody names is left alone."""
    monkeypatch.chdir(tmp_path)
    files = {
        "promptfooconfig.yaml": 'prompts: ["Say {{word}}"]\nproviders: [echo]\ntests: [cases.csv, more.yaml, also.json]\n',
        "cases.csv": 'word,__expected\nhi,"contain:hi, ho"\nho,Answer: ho\nha,contain\nho,file://ho.js\n',
        "more.yaml": "- vars: {word: hi}\n  asserts: []\n",
        "also.json": '[{"vars": {"word": "hi"},\n  "assert": [{"type": "contain", "value": "hi"}]}]\n',
        "other.csv": "word,__expect\nhi,contains:hi\n",
        "other.json": '[{"asserts": []}]\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["check", "."]) == 1
    said = [line for line in capsys.readouterr().out.splitlines() if line.partition(":")[0] in files]
    assert sorted(line.partition("] ")[0] for line in said) == [
        "also.json:2:23 error[promptfoo/assertion-type",
        "cases.csv:2:4 warning[promptfoo/table",
        "cases.csv:5:4 error[missing-file",
        "more.yaml:2:3 warning[promptfoo/unknown-key",
    ]


def test_a_directory_in_the_place_of_a_file_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Prompts may come from a directory; everywhere else promptfoo stops, fails the row, or runs one empty case."""
    monkeypatch.chdir(tmp_path)
    for name in ("d.csv", "sub", "texts"):
        (tmp_path / name).mkdir()
    (tmp_path / "texts" / "p.txt").write_text("Say {{a}}", encoding="utf-8")
    (tmp_path / "promptfooconfig.yaml").write_text(
        "prompts: [file://texts]\nproviders: [echo, file://sub]\ntests:\n  - d.csv\n"
        "  - {vars: {a: file://sub}, assert: [{type: contains, value: file://sub}]}\n",
        encoding="utf-8",
    )
    (tmp_path / "promptfooconfig.silent.yaml").write_text(
        "prompts: [file://texts]\nproviders: [echo]\ntests: file://sub/\n", encoding="utf-8"
    )
    assert main(["check", ".", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert sorted(
        (each["code"], each["message"]) for each in found if each["code"] != "promptfoo/undefined-variable"
    ) == [
        ("missing-file", f"`{name}` is a directory; promptfoo reads a file here")
        for name in ("d.csv", "sub/", "sub", "sub", "sub")
    ]


def test_defaults_scenarios_and_lines_are_checked_where_a_configuration_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their variables count, too: `lang` comes from the defaults. Rows under `path` are not cases."""
    monkeypatch.chdir(tmp_path)
    files = {
        "promptfooconfig.yaml": "prompts: ['Say {{word}} in {{lang}}']\nproviders: [echo]\ndefaultTest: file://base.yaml\n"
        "tests: ['file://cases.jsonl', {path: rows.yaml}]\nscenarios: [file://scenes.yaml]\n",
        "base.yaml": "vars: {lang: fr}\nasert: []\n",
        "cases.jsonl": '{"vars": {"word": "hi"}, "assert": [{"type": "contain", "value": "x"}]}\n{"vars": {"word": "ho"}}\n',
        "scenes.yaml": "- config: [{vars: {word: a}}]\n  tests: [{vars: {word: b}, asserts: []}]\n",
        "rows.yaml": "- {word: hi}\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["check", "."]) == 1
    said = [line for line in capsys.readouterr().out.splitlines() if line.partition(":")[0] in files]
    assert sorted(line.partition("] ")[0] for line in said) == [
        "base.yaml:2:1 warning[promptfoo/unknown-key",
        "cases.jsonl:1:46 error[promptfoo/assertion-type",
        "scenes.yaml:2:29 warning[promptfoo/unknown-key",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cases/a.csv", "promptfoo/table"),
        ("b.csv", "no configuration of promptfoo"),
        ("cases/c.yaml", "promptfoo/unknown-key"),
        ("cases/promptfoo-tests.yaml", "promptfoo/unknown-key] a promptfoo case has no key `asserts`"),
    ],
)
def test_a_file_named_by_itself_is_what_a_configuration_above_says(
    name: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table that no configuration names is not one of promptfoo: its columns mean something else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases").mkdir()
    files = {
        "promptfooconfig.yaml": "prompts: ['Say {{word}}']\nproviders: [echo]\ntests: [cases/a.csv, cases/c.yaml]\n",
        "cases/a.csv": "word,__expect\nhi,x\n",
        "b.csv": "word,__expect\nhi,x\n",
        "cases/c.yaml": "- vars: {word: hi}\n  asserts: []\n",
        "promptfoo.yaml": "prompts: ['Say {{word}}']\nproviders: [echo]\ntests: file://cases/promptfoo-tests.yaml\n",
        "cases/promptfoo-tests.yaml": "- vars: {word: hi}\n  asserts: []\n",
    }
    for path, text in files.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    main(["check", name])
    said = capsys.readouterr()
    assert expected in said.out + said.err


@pytest.mark.parametrize("line", ["[" * 100_000 + "]" * 100_000, '{"vars": {"word": "hi"', "9" * 5_000])
def test_nothing_is_said_of_variables_where_lines_of_cases_cannot_be_read(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For JSON that is nested too deeply, Python raises another error than for invalid JSON."""
    monkeypatch.chdir(tmp_path)
    config = 'prompts: ["Say {{word}} {{name}}"]\nproviders: [echo]\ntests: file://cases.jsonl\n'
    (tmp_path / "promptfooconfig.yaml").write_text(config, encoding="utf-8")
    good = '{"vars": {"word": "hi"}}\n'
    (tmp_path / "cases.jsonl").write_text(f"{good}\n{line}\n", encoding="utf-8")
    assert main(["check", "."]) in (0, 1)
    assert "no case has a value" not in capsys.readouterr().out
    (tmp_path / "cases.jsonl").write_text(good, encoding="utf-8")
    assert main(["check", "."]) == 0
    assert "no case has a value for `name`" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "text", "count"),
    [
        ("promptfooconfig.yaml", CONFIG, 1),
        ("promptfooconfig.yaml", f"# a comment\n{CONFIG}", 1),
        ("promptfooconfig.json", '{"prompts": ["a"],\n"providers": ["echo"]}', 0),
        ("cases.yaml", "- vars: {a: b}\n  description: c\n- vars: {a: c}\n", 1),
        ("cases.json", '[{"vars": {"a": "b"}},\n {"vars": {"a": "c"}}]', 0),
        ("cases.csv", "a,b\n1,2\n", 0),
    ],
)
def test_a_byte_order_mark_indents_the_first_line(name: str, text: str, count: int) -> None:
    """promptfoo counts it as a column, so that the second line does not belong to the first."""
    kinds = {"cases.yaml": PromptfooFile.CASES, "cases.json": PromptfooFile.CASES}
    marked = f"\ufeff{text}"
    analysis = analyze(marked, path=PurePath("/w") / name, kind=kinds.get(name))
    found = [each for each in analysis.diagnostics if "byte order mark" in each.message]
    assert [(each.code, each.severity, each.span) for each in found] == [("syntax-error", "error", (0, 1))] * count
    assert [apply_edits(marked, each.fixes[0].edits) for each in found] == [text] * count
    assert all(each.fixes[0].safe for each in found)


TABLES = [
    ("word,__expect\nhi,x\n", ["1:6 promptfoo has no column `__expect`; did you mean `__expected`?"]),
    ("word,__provider\nhi,x\n", ["1:6 promptfoo has no column `__provider`; did you mean `__providerOutput`?"]),
    ("word,__Expected1\nhi,x\n", ["1:6 promptfoo has no column `__Expected1`; did you mean `__expected1`?"]),
    ('word,"__threshhold"\nhi,1\n', ["1:6 promptfoo has no column `__threshhold`; did you mean `__threshold`?"]),
    ("word,_metric\nhi,x\n", ["1:6 promptfoo has no column `_metric`; did you mean `__metric`?"]),
    ("word,__threshold\nhi,half\n", ["2:4 `half` is not a number"]),
    ("word,__expected,__expected\nhi,x,y\n", ["1:17 there are two columns `__expected`"]),
    ("word,__expected\r\nhi\r\n", ["2:1 this row has 1 cells, and there are 2 columns"]),
    ("word,__config:__expected:weight\nhi,2\n", ["1:6 only `__config:__expected:threshold` can be set in a table"]),
    ("word,__expected\nhi,icontain: hi\n", ["2:4 promptfoo has no assertion type `icontain`; did you mean `icontains`?"]),
    ("word,__expected\nhi,contains_any:hi\n", ["2:4 promptfoo has no assertion type `contains_any`; did you mean `contains-any`?"]),
    ("word,__expected\nhi,similr(0.9):hi\n", ["2:4 promptfoo has no assertion type `similr`; did you mean `similar`?"]),
    ("word,__expected\nhi,fn:ouput.length > 2\n", ["2:7 nothing defines `ouput` in this code; did you mean `output`?"]),
    ("word,__expected\nhi,javascript:output.trim(\n", ["2:15 JavaScript cannot read this code: `(` is not closed"]),
    ("word,__expected\nhi,icontains:\n", ["2:4 `value` is an empty string; it should be a non-empty string"]),
    ("word,__expected\nhi,python:len(output > 3\n", ["2:11 Python cannot read this code: '(' was never closed"]),
    ("word,__expected\nhi,word-count:four\nho,word-count:4\n", ["2:15 `word-count` needs a number of words, or `{min, max}`"]),
    ("word,__expected\nhi,regex:hi(\n", ["2:10 this pattern is invalid: unterminated group"]),
    ("word,__expected\nhi,isrefusal\nhi,not_is_json\n", [
        "2:4 promptfoo has no assertion type `isrefusal`; did you mean `is-refusal`?",
        "3:4 promptfoo has no assertion type `not_is_json`; did you mean `not-is-json`?",
    ]),
    ("word,__threshold,__expected\nhi,50,contains:hi\n", [
        "2:4 `__threshold` is 50, but scores are 0..1: the case can never pass",
    ]),
    ("word,__threshold,__expected\nhi,50,fn:output.length > 2\n", [
        "2:4 `__threshold` is 50, but scores are 0..1: the case can never pass",
    ]),
    ("word,__threshold,__expected\nhi,50,fn:output.length\nhi,1,regex:^hi\n", []),
    ("word,__expected\nhi,file://check.py\nho,file://check.py:name\n", [
        "2:4 promptfoo takes this path for Python code; write `python:file://check.py`",
        "3:4 promptfoo takes this path for Python code; write `python:file://check.py:name`",
    ]),
    ("word,__expected\nhi,latency:3000\nho,cost:abc\nha,similar(80):x\n", [
        "2:4 the limit of `latency` stands in parentheses: `latency(3000)`",
        "3:4 the limit of `cost` stands in parentheses: `cost(0.75)`",
        "4:12 `threshold` is 80, but scores are 0..1: it can never pass",
    ]),
    ("word,__expected\nhi,contains\nho,javascript: ouput.length > 2\n", [
        "2:4 a contains assertion needs `value`: the text to find: a non-empty string or a number",
        "3:16 nothing defines `ouput` in this code; did you mean `output`?",
    ]),
    ('word,__expected\nhi,"fn:ouput.length > 2, ""x"""\n', ["2:4 nothing defines `ouput` in this code; did you mean `output`?"]),
    ("word,__threshold\nhi,-1\n", ["2:4 `__threshold` is -1, but scores are 0..1: every score reaches it"]),
    ("word,__expected\nhi,file://check.js:named\n", [
        "2:4 promptfoo compares the output with what this function returns; write `javascript:file://check.js:named`",
    ]),
    ("word,__expected\nhi,contains;hi\n,\n# two,\n", [
        "2:4 a colon stands behind `contains`, and no `;`",
        "3:1 this row has no cell with a text, or only a comment",
        "4:1 this row has no cell with a text, or only a comment",
    ]),
    ("word,__expected,__config:__expected2:threshold\nhi,similar:hi,0.5\n", [
        "1:17 there is no column of checks with the number 2",
    ]),
    ("word,__expected\nhi,latency\nho,llm-rubric(0.5):polite\nha,not-factuality:x\n", [
        "2:4 `latency` needs its limit in parentheses after it",
        "3:4 in a table `llm-rubric` has no threshold",
        "4:4 `not-` has no effect on `factuality`",
    ]),
    ("word,__expected\nhi,latency(3000)\nho,python:file://check.py\nha,starts-with:h\n", []),
    ("word,__expected\nhi,Answer: hi\nho,is-json\nha,contains:a:b\n", []),
    ('word,__expected1,__metadata:team,__metadata:tags[],_id\n"a, ""b""\nc",not-contains:hi,x,"y,z",1\n', []),
    ("word,__expected\nhi,similar(0.9):hi\nhi,fn:output.length > 1\nhi,grade:polite\nhi,file://check.js\nhi,https://x.y\n", []),
    ("word,__expected,__config:__expected:threshold\nhi,similar:hi,0.5\n", []),
    ("word,__expected\nhi,javascript output.length > 2\nhi,similar(0.9: hello\nhi,levenshtein(5 signs): a\nhi,contains(x): hi\n", [
        "2:4 a colon is missing behind `javascript`",
        "3:4 the limit of `similar` is a number between parentheses, before the colon",
        "4:4 the limit of `levenshtein` is a number between parentheses, before the colon",
        "5:4 in a table `contains` has no threshold: write `contains:`",
    ]),
    ("word,__expected\nhi,python is great output\nhi,latency(ms): 30\nhi,levenshtein(5):a\nhi,f(x): y\n", []),
    ("", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TABLES)
def test_mistakes_in_a_table_have_places(text: str, expected: list[str]) -> None:
    analysis = analyze(text, path=PurePath("/w/cases.csv"), kind=PromptfooFile.TABLE)
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines) + 1)]
    found = []
    for each in analysis.diagnostics:
        line = max(n for n, start in enumerate(starts) if start <= each.span.start)
        found.append(f"{line + 1}:{each.span.start - starts[line] + 1} {each.message}")
    assert found == expected
    for each in analysis.diagnostics:
        for fix in each.fixes:
            mended = apply_edits(text, fix.edits)
            again = analyze(mended, path=PurePath("/w/cases.csv"), kind=PromptfooFile.TABLE)
            assert len(again.diagnostics) < len(analysis.diagnostics)


def test_a_file_takes_the_place_of_any_text_in_a_file_of_cases(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the configuration itself, and in a file of defaults, promptfoo stops at such an `assert`."""
    cases = "- vars: {word: hi}\n  assert: file://checks.json\n  options: file://options.json\n  threshold: file://number.json\n"
    (tmp_path / "cases.yaml").write_text(cases, encoding="utf-8")
    files = {"checks": '[{"type": "contains", "value": "hi"}]', "options": '{"prefix": "A "}', "number": "1"}
    for name, text in files.items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    (tmp_path / "defaults.yaml").write_text("assert: file://checks.json\n", encoding="utf-8")
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(
        "prompts: ['Say {{word}}']\nproviders: [echo]\ndefaultTest: file://defaults.yaml\ntests: [cases.yaml]\n",
        encoding="utf-8",
    )
    main(["check", str(tmp_path), "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert [(Path(each["path"]).name, each["code"]) for each in found] == [("defaults.yaml", "wrong-type")]


def test_settings_of_assertions_in_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """promptfoo stops at a threshold that is no number, and at an empty one; bare metadata it does not read."""
    table = "word,__expected1,__config:__expected1:threshold,__metadata\nhi,levenshtein:hi,2,x\nho,levenshtein:ho,,x\nha,levenshtein:ha,few,x\n"
    (tmp_path / "table.csv").write_text(table, encoding="utf-8")
    (tmp_path / "promptfooconfig.yaml").write_text(
        "prompts: ['Say {{word}}']\nproviders: [echo]\ntests: file://table.csv\n", encoding="utf-8"
    )
    main(["check", str(tmp_path), "--format", "json"])
    found = [(each["range"]["start"]["line"], each["severity"]) for each in json.loads(capsys.readouterr().out)]
    assert found == [(0, "warning"), (2, "error"), (3, "error")]


def test_chats_on_lines_are_read_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = "prompts: [file://chats.jsonl]\nproviders: [echo]\ntests: [{vars: {word: hi}}]\n"
    (tmp_path / "promptfooconfig.yaml").write_text(config, encoding="utf-8")
    good = '[{"role": "user", "content": "Say {{word}}"}]\n'
    (tmp_path / "chats.jsonl").write_text(f"{good}\n{good.replace('user', 'usr')}", encoding="utf-8")
    main(["check", str(tmp_path), "--format", "json"])
    found = [each["message"] for each in json.loads(capsys.readouterr().out) if each["code"] == "promptfoo/prompt-file"]
    assert found == ["chats.jsonl, line 3: there is no role `usr`; did you mean `user`?"]


def test_a_configuration_that_is_named_is_checked_with_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """But not with files outside of its folder, and no suite with its cases."""
    monkeypatch.chdir(tmp_path)
    files = {
        "evals/promptfooconfig.yaml": "prompts: ['Say {{word}}']\nproviders: [echo]\ntests: [cases/a.yaml, ../b.yaml]\n",
        "evals/cases/a.yaml": "- vars: {word: hi}\n  asserts: []\n",
        "b.yaml": "- vars: {word: hi}\n  asserts: []\n",
    }
    (tmp_path / "evals/cases").mkdir(parents=True)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    main(["check", "evals/promptfooconfig.yaml", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert [(each["path"], each["code"]) for each in found] == [("evals/cases/a.yaml", "promptfoo/unknown-key")]


@pytest.mark.parametrize(
    ("shared", "consequence"),
    [
        ("", "promptfoo runs one empty case, which passes"),
        ("defaultTest: {vars: {word: hi}}\n", "promptfoo runs one empty case, which passes"),
        ("defaultTest: {assert: [{type: contains, value: hi}]}\n", "promptfoo runs one empty case"),
        ("defaultTest: file://shared.yaml\n", "promptfoo runs one empty case"),
    ],
)
def test_an_empty_case_passes_only_without_assertions_of_the_default_test(shared: str, consequence: str) -> None:
    text = f'prompts: ["Say hi"]\nproviders: [echo]\n{shared}tests: []\n'
    found = analyze(text, path=PurePath("promptfooconfig.yaml")).diagnostics
    assert [each.consequence for each in found if each.code == "promptfoo/no-cases"] == [consequence]
