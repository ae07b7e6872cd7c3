"""Which files a folder or a pattern stands for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import BROKEN, CLEAN, Run, write

from rubric_core.analysis import Language
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.loading.files import is_suite, is_suite_name
from rubric_core.loading.path_patterns import Patterns, braces

LANGUAGE = Language()


#: What other programs keep under such names: the program, the path, the text.
FOREIGN = [
    ("ansible", "roles/web/tasks/main.test.yaml", "- name: Install\n  apt: {name: nginx}\n- name: Start\n  service: {name: nginx}\n"),
    ("ansible", "site.test.yml", "---\n- hosts: all\n  vars: {port: 80}\n  tasks:\n    - name: ping\n      ping:\n"),
    ("ansible", "check.test.yml", "- name: Is up\n  assert: {that: [up]}\n  vars: {up: true}\n"),
    ("promtool", "rules.test.yaml", "rule_files: [a.yaml]\ntests:\n  - interval: 1m\n    input_series: []\n    alert_rule_test: []\n"),
    ("venom", "login.test.yaml", "name: Login\ntestcases:\n- name: logs in\n  steps:\n  - type: exec\n    assertions: [a]\n"),
    ("helm", "evals/suite.yaml", "suite: web\ntemplates: [a.yaml]\ntests:\n  - it: works\n    asserts: [{isKind: {of: Service}}]\n"),
    ("yolo", "dataset.yaml", "path: coco\ntrain: images\nval: images\nnames: {0: person}\n"),
    ("prometheus", "targets.yaml", "- targets: ['10.0.0.1:9100']\n  labels: {env: prod}\n"),
    ("promptfoo", "greeting.test.yaml", "- vars: {name: Ann}\n  provider: echo\n  assert: [{type: contains, value: Ann}]\n- vars: {name: Bo}\n"),
    ("scores", "evals/suite.grader-scores.yaml", "- test_id: a\n  grader: rubrics\n  range: {min: 0.3}\n"),
]  # fmt: skip
STRANGERS = [(path, text) for _, path, text in FOREIGN]


def suites(folder: str = ".") -> list[str]:
    return list(Discovery(Configurations(LANGUAGE)).suites(folder))


def files(*paths: str) -> None:
    for path in paths:
        write(path, CLEAN)


@pytest.mark.parametrize(
    "path",
    ["a.eval.yaml", "a.eval.yml", "A.EVAL.YAML", "my-eval.yaml", "dataset.yaml", "dataset-2.yml", "a.test.yaml", "evals/eval.yaml",
     "evals/suite.yml", "x/evals/deep/er/suite.yaml", "suite.yaml", "x/eval.yml"],
)  # fmt: skip
def test_names_of_suites(path: str) -> None:
    files(path)
    assert suites() == [path]
    assert is_suite_name(Path(path).name)


@pytest.mark.parametrize(
    "path",
    ["evals/cases.yaml", "evaluation.yaml", "a.eval.json", "dataset.scores.yaml", "evals/EVAL.yaml.bak",
     "node_modules/a.eval.yaml", ".git/a.eval.yaml", "x/__pycache__/a.eval.yaml"],
)  # fmt: skip
def test_names_of_others(path: str) -> None:
    files(path)
    assert suites() == []


@pytest.mark.parametrize(("path", "text"), STRANGERS, ids=[f"{name}-{path}" for name, path, _ in FOREIGN])
def test_files_of_other_programs_are_passed_over(path: str, text: str, rubric: Run) -> None:
    write(path, text)
    write("evals/refunds.eval.yaml", CLEAN)
    assert suites() == ["evals/refunds.eval.yaml"]
    named = rubric("check", path)
    assert (named.code, named.out) == (0, "")
    assert f"rubric: {path}: not checked, because it does not look like eval YAML" in named.err


@pytest.mark.parametrize(("path", "text"), STRANGERS, ids=[f"{name}-{path}" for name, path, _ in FOREIGN])
def test_they_are_checked_where_somebody_says_what_they_are(path: str, text: str, rubric: Run) -> None:
    write(path, f"# rubric: dialect=agentv-3\n{text}")
    assert rubric("check", path).out.startswith(f"{path}:")
    write(path, text)
    write(".rubric.toml", f'include = ["/{path}"]\n')
    assert suites() == [path]
    assert rubric("check", path).out.startswith(f"{path}:")


def test_a_file_of_another_program_is_left_as_it_is(rubric: Run) -> None:
    venom = "name: Login\ntestcases:\n- name: logs in\n  steps: []\n"
    write("login.test.yaml", venom)
    rubric("check", "--fix", "login.test.yaml")
    rubric("check", "--fix", ".")
    assert Path("login.test.yaml").read_text() == venom


@pytest.mark.parametrize(
    "text",
    ["", "# to be written\n", "name: refunds\n", "tests:\n", "tests:\n  - id: a\n", "tests:\n  - i", "tests:\n  - id: a\n    inptu: x\n",
     "tets:\n  - id: a\n    input: x\n", "description: x\nevalcases: []\n", "```yaml\ntests: []\n```\n"],
)  # fmt: skip
def test_a_suite_that_is_only_begun_or_wrong_is_checked(text: str) -> None:
    write("evals/suite.yaml", text)
    assert suites() == ["evals/suite.yaml"]


def test_what_is_left_out_of_a_folder_is_named_on_request(rubric: Run) -> None:
    write("a.eval.yaml", CLEAN)
    for path, text in (
        ("x.test.yaml", "- hosts: all\n"),
        ("notes.yaml", "a: 1\n"),
        ("gone.yaml", "a: 1\n"),
        ("a.recordings.yaml", "{}\n"),
        (".gitignore", "gone.yaml\n"),
    ):
        write(path, text)
    assert "left out" not in rubric("check", ".").err
    assert rubric("check", "-v", "-q", ".").code == 2
    assert rubric("check", "-v", ".").err.splitlines() == [
        "gone.yaml: left out: git ignores it, or the configuration excludes it",
        "notes.yaml: left out: neither its name nor its content is that of a suite, and no suite refers to it",
        "x.test.yaml: left out: its keys are not those of a suite",
    ]


def test_common_names_need_a_suite_in_them() -> None:
    write("suite.yaml", "name: robots\n")
    write("x/eval.yaml", "tests:\n  - id: a\n    input: x\n")
    assert suites() == ["x/eval.yaml"]


def test_in_a_folder_evals_the_first_releases_gave_suites_any_name() -> None:
    write("evals/rubric/examples.yaml", "# Examples\nevalcases: []\n")
    write("evals/more.yml", "$schema: agentv-eval-v2\n")
    write("evals/cases.yaml", "- id: a\n  note: 'evalcases:'\n")
    write("other/examples.yaml", "evalcases: []\n")
    assert suites() == ["evals/more.yml", "evals/rubric/examples.yaml"]


def test_a_data_set_has_its_description_beside_it() -> None:
    files("evals/dataset.yaml", "evals/dataset.jsonl", "evals/other.eval.yaml")
    assert suites() == ["evals/other.eval.yaml"]
    assert is_suite(Path("evals/dataset.yaml"))


def test_paths_are_spelt_as_the_folder_is(here: Path) -> None:
    files("evals/b.eval.yaml", "evals/a/a.eval.yaml")
    assert suites("evals") == ["evals/b.eval.yaml", "evals/a/a.eval.yaml"]
    assert suites("./evals/") == ["evals/b.eval.yaml", "evals/a/a.eval.yaml"]
    assert suites("evals/../evals") == ["evals/../evals/b.eval.yaml", "evals/../evals/a/a.eval.yaml"]
    assert suites(str(here)) == [f"{here}/evals/b.eval.yaml", f"{here}/evals/a/a.eval.yaml"]


def test_links_to_files_count_and_links_to_folders_do_not(here: Path) -> None:
    Path(".git").mkdir()  # one repository
    files("real/a.eval.yaml")
    Path("evals").mkdir()
    Path("evals/b.eval.yaml").symlink_to(here / "real" / "a.eval.yaml")
    Path("evals/loop").symlink_to(here)
    assert suites("evals") == ["evals/b.eval.yaml"]


# What git ignores.


def test_what_git_ignores_is_left_out() -> None:
    write(".gitignore", "drafts/\n*.tmp.eval.yaml\n/top.eval.yaml\n\n# all of it\n!keep.tmp.eval.yaml\n!\n")
    files(
        "drafts/a.eval.yaml",
        "a.tmp.eval.yaml",
        "keep.tmp.eval.yaml",
        "top.eval.yaml",
        "sub/top.eval.yaml",
        "sub/drafts/x.eval.yaml",
    )
    assert suites() == ["keep.tmp.eval.yaml", "sub/top.eval.yaml"]


def test_a_deeper_file_counts_more() -> None:
    write(".gitignore", "*.eval.yaml\n")
    write("mine/.gitignore", "!*.eval.yaml\nsecret.eval.yaml\n")
    files("a.eval.yaml", "mine/a.eval.yaml", "mine/secret.eval.yaml")
    assert suites() == ["mine/a.eval.yaml"]


def test_the_repository_above_counts() -> None:
    Path(".git/info").mkdir(parents=True)
    write(".git/info/exclude", "local.eval.yaml\n")
    write(".gitignore", "*.tmp.eval.yaml\nbuilt/\n")
    files(
        "evals/a.eval.yaml",
        "evals/a.tmp.eval.yaml",
        "evals/local.eval.yaml",
        "built/b.eval.yaml",
        "built/b.tmp.eval.yaml",
    )
    assert suites("evals") == ["evals/a.eval.yaml"]
    assert suites("built") == ["built/b.eval.yaml", "built/b.tmp.eval.yaml"], "whoever names it wants to see it"


def test_nothing_above_counts_outside_a_repository() -> None:
    write(".gitignore", "*.yaml\n")
    files("evals/a.eval.yaml")
    assert suites("evals") == ["evals/a.eval.yaml"]


def test_it_agrees_with_git(here: Path) -> None:
    patterns = [
        "*.tmp.eval.yaml",
        "/a",
        "b/",
        "c/**/x.eval.yaml",
        "!c/keep/x.eval.yaml",
        "d/*",
        "!d/in.eval.yaml",
        "e?.eval.yaml",
        "[fg].eval.yaml",
        "\\#h.eval.yaml",
        "i.eval.yaml   ",
        "[[:digit:]].eval.yaml\r",
        "k\x0b.eval.yaml",
    ]
    write(".gitignore", "\n".join(patterns))
    names = ["a", "z/a", "b", "z/b", "c", "c/1/2", "c/keep", "d", "d/deep"]
    files(
        *(
            f"{folder}/{name}"
            for folder in names
            for name in ("x.eval.yaml", "in.eval.yaml", "y.tmp.eval.yaml", "e1.eval.yaml")
        )
    )
    files("f.eval.yaml", "#h.eval.yaml", "i.eval.yaml", "j.eval.yaml", "5.eval.yaml")
    try:
        subprocess.run(["git", "init", "-q"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs git")
    kept = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard", "--", "*.yaml"], check=True, capture_output=True, text=True
    )
    assert sorted(suites()) == sorted(kept.stdout.rstrip("\0").split("\0"))


# What configurations say.


def test_what_is_excluded_is_left_out_unless_it_is_named(rubric: Run) -> None:
    write(".rubric.toml", 'exclude = ["legacy/", "*.draft.eval.yaml"]\n')
    files("a.eval.yaml", "legacy/b.eval.yaml", "x/c.draft.eval.yaml")
    assert suites() == ["a.eval.yaml"]
    assert suites("legacy") == ["legacy/b.eval.yaml"]
    assert "1 suite" in rubric("check", "x/c.draft.eval.yaml").out


def test_further_files_are_included() -> None:
    write("pyproject.toml", '[tool.rubric]\ninclude = ["checks/*.yaml", "!checks/no.yaml"]\n')
    files("checks/a.yaml", "checks/no.yaml", "checks/deep/a.yaml", "other/a.yaml")
    assert suites() == ["checks/a.yaml"]


def test_a_folder_below_has_settings_of_its_own() -> None:
    write(".rubric.toml", 'exclude = ["*.eval.yaml"]\n')
    write("team/.rubric.toml", 'include = ["cases.yaml"]\n')
    files("a.eval.yaml", "team/b.eval.yaml", "team/cases.yaml")
    assert suites() == ["team/b.eval.yaml", "team/cases.yaml"]


def test_the_patterns_of_agentv_count_too() -> None:
    write(".agentv/config.yaml", 'eval_patterns:\n  - "**/Checks/**/*.{yaml,yml}"\n  - 3\n')
    files("checks/a.yaml", "x/CHECKS/deep/b.yml", "checks/c.json", "other/d.yaml", "e.eval.yaml")
    assert suites() == ["e.eval.yaml", "checks/a.yaml", "x/CHECKS/deep/b.yml"]
    assert suites("checks") == ["checks/a.yaml"], "those of a folder above as well"
    write("x/.agentv/config.yaml", "eval_patterns: [only/*.yaml]\n")
    files("x/only/f.yaml")
    assert suites("x") == ["x/only/f.yaml"], "the nearest file counts"


@pytest.mark.parametrize(
    "text", ["", "eval_patterns: x", "eval_patterns: ['[z-a]']", "- a", "eval_patterns: [", b"\xff"]
)
def test_patterns_that_cannot_be_used_are_passed_over(text: str | bytes) -> None:
    write(".agentv/config.yaml", text)
    files("a.eval.yaml")
    assert suites() == ["a.eval.yaml"]


# The files around suites.


def checked(rubric: Run, *arguments: str) -> set[str]:
    """The files in which there is something, when something is in every file."""
    return {row["path"] for row in rubric("check", "--format", "json", *arguments).json}


def test_files_around_suites_are_checked_as_what_they_are(rubric: Run) -> None:
    write("evals/a.eval.yaml", "execution: {target: bot}\ntests: [file://more/*.yaml, file://lines.jsonl]\nx: 1\n")
    write("evals/more/cases.yaml", "- {id: a, input: Hello, criteria: Greets, x: 1}\n")
    write("evals/lines.jsonl", '{"id": "b", "input": "Hello", "criteria": "Greets", "x": 1}\n')
    write("evals/prompts/judge.md", "Compare {{ outptu }}.\n")
    write("evals/b.eval.yaml", "tests:\n  - id: a\n    input: Hello\n    x: 1\n    assertions:\n      - {include: base}\n"
          "      - {type: llm-grader, prompt: file://prompts/judge.md}\n")  # fmt: skip
    write("dataset.yaml", "description: Greetings\nx: 1\n")
    write("dataset.jsonl", '{"id": "b", "input": "Hello", "criteria": "Greets", "x": 1}\n')
    write(".agentv/config.yaml", "eval_pattern: []\n")
    write("targets.yaml", "targets:\n  - {name: bot, provider: mock, x: 1}\n")
    write(".agentv/templates/base.yaml", "- {type: contains, value: hello, wieght: 2}\n")
    # Neither used nor where it would be looked for.
    write("other/targets.yaml", "targets: {x: 1}\n")
    write(".agentv/results/a.jsonl", '{"x": 1}\n')
    write("notes.md", "Compare {{ outptu }}.\n")
    assert checked(rubric) == {
        "evals/a.eval.yaml", "evals/more/cases.yaml", "evals/lines.jsonl", "evals/prompts/judge.md", "evals/b.eval.yaml",
        "dataset.yaml", "dataset.jsonl", ".agentv/config.yaml", "targets.yaml", ".agentv/templates/base.yaml",
    }  # fmt: skip
    assert checked(rubric, "evals/more/cases.yaml") == {"evals/more/cases.yaml"}
    assert ".agentv/config.yaml" not in checked(rubric, "evals"), "only what is in the folder"


def test_what_is_left_out_is_left_out_when_it_is_used(rubric: Run) -> None:
    write(".gitignore", "built/\n*.tmp.yaml\n")
    write("a.eval.yaml", "tests: [file://built/cases.yaml, file://cases.tmp.yaml]\nx: 1\n")
    write("built/cases.yaml", "- {id: a, input: Hello, criteria: Greets, x: 1}\n")
    write("cases.tmp.yaml", "- {id: b, input: Hello, criteria: Greets, x: 1}\n")
    assert checked(rubric) == {"a.eval.yaml"}


def test_what_is_used_is_read_in_the_dialect_of_what_uses_it(rubric: Run) -> None:
    write("a.eval.yaml", "tests: cases.yaml\nassert: [{type: contains, value: hello}]\n")
    write("cases.yaml", "- {id: a, input: Hello, criteria: Greets, assertions: [{type: contains, value: hello}]}\n")
    [row] = rubric("check", "--format", "json").json
    assert (row["path"], row["code"]) == ("cases.yaml", "renamed-key")


# Patterns on the command line.


def test_patterns_match_whatever_the_names_are(rubric: Run) -> None:
    write(".gitignore", "secret/\n")
    files("evals/a.yaml", "evals/b.yml", "evals/deep/c.yaml", "secret/d.yaml", "node_modules/e.yaml")
    found = Discovery(Configurations(LANGUAGE))
    assert list(found.matching("evals/*.yaml")) == ["evals/a.yaml"]
    assert list(found.matching("**/*.{yaml,yml}")) == ["evals/a.yaml", "evals/b.yml", "evals/deep/c.yaml"]
    assert list(found.matching("evals/[ab].y*")) == ["evals/a.yaml", "evals/b.yml"]
    assert list(found.matching("nowhere/*.yaml")) == []
    assert "findings in 3 " in rubric("check", "evals/**/*.y?ml", "evals/*.yml").out


def test_a_file_whose_name_looks_like_a_pattern(rubric: Run) -> None:
    files("a[1].eval.yaml")
    assert rubric("check", "a[1].eval.yaml").code == 0


def test_braces_are_written_out() -> None:
    assert braces("a.{b,c{d,e}}") == ["a.b", "a.cd", "a.b", "a.ce"] or set(braces("a.{b,c{d,e}}")) == {
        "a.b",
        "a.cd",
        "a.ce",
    }
    assert braces("{x}") == ["{x}"]


def test_patterns_are_relative_to_their_folder(here: Path) -> None:
    patterns = Patterns(here, ["/a/*", "!/a/b"])
    assert [patterns.decide(here / p) for p in ("a/x", "a/b", "x", "../a/x")] == [True, False, None, None]
    assert patterns == Patterns(str(here), ["/a/*", "!/a/b"])
    assert not Patterns(here, ["", "# nothing"])
    with pytest.raises(ValueError, match="range"):
        Patterns(here, ["[z-a]"])


@pytest.mark.parametrize("name", ["a\nb.eval.yaml", "\n.test.yml", "a\r\n-eval.yaml"])
def test_a_name_with_a_line_break_is_found(rubric: Run, name: str) -> None:
    write(name, BROKEN)
    assert {row["path"] for row in rubric("check", "--format", "json").json} == {name}


def test_folders_nested_more_deeply_than_calls_can_be(rubric: Run) -> None:
    deepest, start = sys.getrecursionlimit() + 200, Path.cwd()
    try:
        for _ in range(deepest):
            Path("d").mkdir()
            os.chdir("d")
        write("a.eval.yaml", BROKEN)
        os.chdir(start)
        assert suites() == [f"{'d/' * deepest}a.eval.yaml"]
        assert {row["path"] for row in rubric("check", "--format", "json", ".").json} == set(suites())
    finally:
        os.chdir(start)
        subprocess.run(["rm", "-rf", "d"], check=True)  # as the tests' own cleaning calls itself


def test_a_table_that_agentv_reads_is_not_checked_as_a_file_of_cases(rubric: Run) -> None:
    table = "id,vars.input,__expected,__metadata:source\ngreeting,Say hello,icontains:hello,csv\n"
    suite = "name: external\nproviders: [llm]\nprompts: ['{{ input }}']\ntests:\n  - file://cases/magic.csv\n"
    write("targets.yaml", "targets:\n  - name: llm\n    provider: mock\n")
    write("evals/external.eval.yaml", suite)
    write("evals/cases/magic.csv", table)
    found = rubric("check", ".")
    assert (found.code, "magic.csv" in found.out, "in 2 files" in found.out) == (0, False, True)
    assert "its mistakes are reported in the suite that names it" in rubric("check", "evals/cases/magic.csv").err
