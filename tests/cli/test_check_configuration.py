"""`.rubric.toml` and `pyproject.toml`: what counts, and what is wrong with them."""

import os
from pathlib import Path

import pytest
from command import BROKEN, CLEAN, Run, write

from rubric_core.analysis import Language
from rubric_core.configuration import DEFAULT, Configurations
from rubric_core.configuration.parse import SETTINGS, read
from rubric_core.configuration.toml_places import places

LANGUAGE = Language()


def codes(rubric: Run, *arguments: str) -> list[str]:
    return rubric("check", "--format", "json", *arguments).codes


# What counts.


def test_codes_are_selected_and_ignored(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN)
    write(".rubric.toml", 'select = ["bad-weight"]\n')
    assert codes(rubric) == ["bad-weight"]
    write(".rubric.toml", 'ignore = ["bad-weight"]\n')
    assert codes(rubric) == ["unknown-key"]


def test_severities_are_set(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN)
    write(".rubric.toml", '[severity]\nbad-weight = "hint"\nunknown-key = "off"\n')
    ran = rubric("check", "--format", "json")
    assert [(row["code"], row["severity"]) for row in ran.json] == [("bad-weight", "hint")]
    assert ran.code == 0


def test_files_have_codes_of_their_own(rubric: Run) -> None:
    write("evals/old/a.eval.yaml", BROKEN)
    write("evals/new/a.eval.yaml", BROKEN)
    write(".rubric.toml", '[per-file-ignores]\n"evals/old/" = ["bad-weight"]\n"new/*.yaml" = ["gapped-bands"]\n')
    rows = rubric("check", "--format", "json").json
    assert [(row["path"][6:9], row["code"]) for row in rows] == [
        ("new", "bad-weight"),
        ("new", "unknown-key"),
        ("old", "unknown-key"),
    ]


def test_a_dialect_is_given(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN)
    write(".rubric.toml", 'dialect = "agentv-1"\n')
    assert "agentv-1" in rubric("check").out
    assert rubric("check", "--dialect", "agentv-3").code == 0


def test_the_command_line_counts_more(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN)
    write(".rubric.toml", 'ignore = ["bad-weight"]\nseverity = {bad-weight = "off"}\n')
    assert codes(rubric, "--select", "bad-weight") == ["bad-weight"]
    assert codes(rubric, "--ignore", "unknown-key") == []


def test_the_table_of_pyproject(rubric: Run) -> None:
    write("a.eval.yaml", BROKEN)
    write("pyproject.toml", '[project]\nname = "x"\n[tool.rubric]\nignore = ["bad-weight"]\n')
    assert codes(rubric) == ["unknown-key"]


def test_the_nearest_file_counts_and_its_own_name_first(rubric: Run) -> None:
    write("pyproject.toml", '[tool.rubric]\nignore = ["bad-weight"]\n')
    write("evals/pyproject.toml", "[project]\nname = 'no word about rubric'\n")
    write("evals/a.eval.yaml", BROKEN)
    write("other/.rubric.toml", 'ignore = ["unknown-key"]\n')
    write("other/pyproject.toml", '[tool.rubric]\nselect = ["gapped-bands"]\n')
    write("other/b.eval.yaml", BROKEN)
    assert codes(rubric) == ["unknown-key", "bad-weight"]


# What is wrong.


def test_a_mistake_is_found_at_its_line_and_the_rest_counts(rubric: Run) -> None:
    write("evals/a.eval.yaml", BROKEN)
    write(".rubric.toml", '# ours\nignore = [\n  "bad-weight",\n  "unkown-key",\n]\n')
    ran = rubric("check", "--format", "json", "evals")
    assert [(row["path"], row["code"], row["range"]["start"]["line"]) for row in ran.json] == [
        (".rubric.toml", "bad-configuration", 3),
        ("evals/a.eval.yaml", "unknown-key", 8),
    ]
    assert ran.json[0]["fixes"][0]["edits"][0]["newText"] == "unknown-key"
    assert ran.code == 1


def test_a_mistake_is_shown_once_however_many_suites_there_are(rubric: Run) -> None:
    for name in "abc":
        write(f"evals/{name}.eval.yaml", CLEAN)
    write("pyproject.toml", "[tool.rubric]\nselekt = []\n")
    ran = rubric("check")
    assert ran.out.count("bad-configuration]") == 1
    assert "pyproject.toml:2:1 error[bad-configuration] there is no setting `selekt`; did you mean `select`?" in ran.out
    assert "1 error in 1 of 4 files" in ran.out


def test_a_configuration_can_be_checked_itself(rubric: Run) -> None:
    write("pyproject.toml", "[tool.rubric]\nselekt = []\n")
    write(".rubric.toml", "x = 1\n")
    write("other.eval.yaml", CLEAN)
    assert [row["path"] for row in rubric("check", "--format", "json", "pyproject.toml", "./.rubric.toml").json] == [
        "pyproject.toml",
        "./.rubric.toml",
    ]


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("ignore = [", "ignore = [", "this is not valid TOML: "),
        ('a = "x" b', "b", "this is not valid TOML: expected newline"),
        ("x = 1", "x", "there is no setting `x`; the settings are dialect, agentv, select, "),
        ("[tool.rubric]\nselect = []", "[tool.rubric]", "in .rubric.toml the settings are at the top level"),
        ('dialect = "agentv3"', "agentv3", "there is no dialect `agentv3`; did you mean `agentv-3`?"),
        ("dialect = 3", "3", "`dialect` takes the name of a dialect, found a number"),
        ("select = []", "[]", "this selects no code"),
        ('select = "bad-weight"', "bad-weight", "`select` takes a list of codes, found a text"),
        ("ignore = [1, {}]", "1", "`ignore` takes a list of codes, found a number in it"),
        ('severity = {bad-weight = "warn"}', "warn", "there is no severity `warn`; did you mean `warning`?"),
        ("severity.bad-weight = true", "true", "`bad-weight` takes a severity, found true or false"),
        ('[severity]\nbad-wieght = "off"', "bad-wieght", "there is no code `bad-wieght`; did you mean `bad-weight`?"),
        ("severity = []", "[]", "`severity` takes a table of codes and severities, found a list"),
        ('per-file-ignores = {"a*" = "x"}', "x", "`a*` takes a list of codes, found a text"),
        ('[per-file-ignores]\n"a*" = ["x"]', "x", "there is no code `x`"),
        ('exclude = ["[z-a]"]', "[z-a]", "`[z-a]` is not a pattern"),
        ('per-file-ignores = {"!" = []}', "!", "`!` is not a pattern"),
        ("include = 2021-01-01", "2021-01-01", "`include` takes a list of patterns, found a date"),
    ],
)
def test_every_kind_of_mistake(text: str, at: str, words: str) -> None:
    configuration = read(Path(".rubric.toml"), text + "\n", LANGUAGE)
    assert configuration is not None
    first = configuration.diagnostics[0]
    assert first.code == "bad-configuration"
    assert words in first.message
    assert text[first.span.start : first.span.end] == at


def test_a_table_that_is_none() -> None:
    configuration = read(Path("pyproject.toml"), "tool.rubric = 3", LANGUAGE)
    assert configuration is not None
    assert configuration.diagnostics[0].message == "`tool.rubric` has to be a table, found a number"


def test_a_select_of_nothing_but_mistakes_selects_everything() -> None:
    configuration = read(Path(".rubric.toml"), 'select = ["nonsense"]', LANGUAGE)
    assert configuration is not None
    assert configuration.selection().shows("bad-weight")


def test_a_broken_pyproject_is_ours_only_when_it_speaks_of_us(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN)
    write("pyproject.toml", "# rubric\n[project\n")
    assert rubric("check").code == 0
    write("pyproject.toml", "[tool.rubric]\nignore = [\n[project\n")
    ran = rubric("check")
    assert ran.code == 1
    assert "no setting of this file is used" in ran.out


def test_a_configuration_that_is_no_text(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN)
    write(".rubric.toml", b"\xff")
    ran = rubric("check")
    assert ran.code == 1
    assert "error[bad-configuration] not UTF-8: byte 0xff at offset 0" in ran.out


# The pieces.


def test_settings_are_read_again_when_the_file_changes(here: Path) -> None:
    configurations = Configurations(LANGUAGE)
    suite = here / "evals" / "a.eval.yaml"
    assert configurations.for_file(suite) is DEFAULT
    file = write(".rubric.toml", 'ignore = ["bad-weight"]\n')
    first = configurations.for_file(suite)
    assert first.path == file.absolute()
    assert configurations.for_file(suite) is first
    file.write_text('ignore = ["gapped-bands"]\n')
    os.utime(file, (1, 1))
    assert configurations.for_file(suite).ignore == {"gapped-bands"}
    file.unlink()
    assert configurations.for_file(suite) is DEFAULT


def test_every_setting_is_explained() -> None:
    page = next(r for r in LANGUAGE.rules if r.code == "bad-configuration").page.read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in SETTINGS)


def test_places_of_every_kind_of_toml() -> None:
    text = """\
a."b c".d = [1, [2, 'x'], {y = "#"}] # c
s = \"\"\"
  [not.a.table] "" \\\"
\"\"\"
l = '''it's
'''
t = 1979-05-27 07:32:00
[q . r]
k = { m = 1, n.o = [
  "é", # ]
] }
[[z]]
w = +1.5e3
"""
    found = places(text)
    written = {keys: text[place.value.start : place.value.end] for keys, place in found.items()}
    assert written["a", "b c", "d", 1, 1] == "'x'"
    assert written["a", "b c", "d", 2, "y"] == '"#"'
    assert written["s",].endswith('\\"\n"""')
    assert written["l",] == "'''it's\n'''"
    assert written["t",] == "1979-05-27 07:32:00"
    assert written["q", "r", "k", "n", "o", 0] == '"é"'
    assert written["z", "w"] == "+1.5e3"
    assert text[slice(*found["q", "r", "k", "n", "o"].key)] == "o"


@pytest.mark.parametrize("text", ["=", "[", "a", "a =", "a = [", "a = {", "a = [1,", "[[a]", "a.", '"', "a = 'x", "{"])
def test_places_of_no_toml_raise_nothing(text: str) -> None:
    places(text)


NOTES = """\
prompts: ["Say {{a}}"]
providers: [echo]
tests:
  - {tags: [x], vars: {a: 1}, assert: [{type: contains, value: S}]}
  - {tags: [y], vars: {a: 2}, assert: [{type: contains, value: S}]}
"""


def test_style_is_reported_when_it_is_asked_for(rubric: Run, here: Path) -> None:
    file = here / "promptfooconfig.yaml"
    file.write_text(NOTES, encoding="utf-8")

    assert codes(rubric) == []
    assert codes(rubric, "--select", "author-note") == ["author-note"]
    (here / ".rubric.toml").write_text('[severity]\nauthor-note = "hint"\n', encoding="utf-8")
    assert codes(rubric) == ["author-note"]
