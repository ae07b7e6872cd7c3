"""The pytest plugin, driven by real pytest in a folder of its own."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest
from junitparser import Error, Failure, JUnitXml
from thorough import only_thorough, sample

SUITE = """\
tags: [shop]
tests:
  - id: morning
    criteria: Greets
    input: Good morning!
    metadata: {tags: [smoke]}
    assertions:
      - {type: contains, value: morning}
  - id: evening
    criteria: Greets
    input: Good evening!
    metadata: {tags: [slow-path]}
    assertions:
      - {type: contains, value: evening}
"""
#: Its answer is always the same, and each call leaves a line behind.
TARGETS = 'targets:\n  - {name: default, provider: cli, command: "echo good morning; echo x >> ../calls"}\n'


@dataclass
class Ran:
    code: int
    text: str

    def outcomes(self) -> str:
        """The last line without its time."""
        return self.text.strip().splitlines()[-1].strip("= ").rpartition(" in ")[0]


@dataclass
class Repository:
    """A folder with a suite, in which pytest runs."""

    folder: Path

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return file

    def pytest(self, *arguments: str) -> Ran:
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder.parent / "state"), "COLUMNS": "200"}
        for name in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST", "GITHUB_ACTIONS", "FORCE_COLOR"):
            environment.pop(name, None)
        without = [
            word
            for name in ("cacheprovider", "asyncio", "hypothesispytest", "pytest-lsp")
            for word in ("-p", f"no:{name}")
        ]
        command = [sys.executable, "-m", "pytest", *without, *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, timeout=120, check=False)
        return Ran(done.returncode, done.stdout.decode() + done.stderr.decode())

    def trust(self, *options: str) -> str:
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder.parent / "state")}
        command = [sys.executable, "-m", "rubric_core.cli", "trust", *options, str(self.folder)]
        return subprocess.run(command, env=environment, check=True, capture_output=True, timeout=60, text=True).stdout

    @property
    def calls(self) -> int:
        """How often the target was called."""
        file = self.folder / "calls"
        return len(file.read_text().splitlines()) if file.exists() else 0


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.write("evals/.agentv/targets.yaml", TARGETS)
    made.write("evals/greeting.eval.yaml", SUITE)
    made.write("test_own.py", "def test_own() -> None:\n    assert True\n")
    return made


@pytest.fixture
def trusted(repository: Repository) -> Repository:
    repository.trust()
    return repository


IMPORTS = """
import sys

def test_nothing_of_rubric_is_imported():
    assert "rubric_core.pytest_plugin" in sys.modules
    assert [name for name in sys.modules if name.startswith("rubric_core.") and name != "rubric_core.pytest_plugin"] == []
"""


@only_thorough
def test_without_its_option_it_imports_nothing_and_collects_nothing(repository: Repository) -> None:
    repository.write("test_own.py", IMPORTS)
    ran = repository.pytest()
    assert (ran.code, ran.outcomes()) == (0, "1 passed")
    # The counter-example: with the option the same test sees the modules.
    assert repository.pytest("--rubric", "test_own.py").outcomes() == "1 failed"


def test_each_case_is_a_test_and_a_failure_shows_the_suite_with_its_results(trusted: Repository) -> None:
    ran = trusted.pytest("--rubric", "-v")
    assert ran.code == 1
    assert ran.outcomes() == "1 failed, 2 passed"
    assert "evals/greeting.eval.yaml::morning PASSED" in ran.text
    assert "evals/greeting.eval.yaml::evening FAILED" in ran.text
    assert "FAILED evals/greeting.eval.yaml::evening - greeting.eval.yaml:9 evening failed 0.00" in ran.text
    assert "- id: evening" in ran.text
    assert re.search(r"^      - \{type: contains, value: evening\} +✘", ran.text, re.MULTILINE)
    assert "Traceback" not in ran.text
    assert "Good morning!" not in ran.text, "only the case itself is shown"


@only_thorough
def test_the_ini_option_collects_without_the_command_line_option(trusted: Repository) -> None:
    trusted.write("evals/second.eval.yaml", SUITE)
    trusted.write("pytest.ini", "[pytest]\nrubric_suites = evals/greet*.eval.yaml\n")
    assert trusted.pytest().outcomes() == "1 failed, 2 passed"
    assert trusted.pytest("evals/second.eval.yaml").outcomes() == "1 failed, 1 passed", "named, so it counts"
    trusted.write("pytest.ini", "[pytest]\nrubric_suites = evils\n")
    ran = trusted.pytest()
    assert ran.code == 4
    assert "rubric_suites: " in ran.text
    assert "evils: there is no such file" in ran.text


def test_nothing_runs_in_a_folder_that_is_not_trusted(repository: Repository) -> None:
    generated = repository.folder / "generated"
    made = [{"id": "made", "vars": {"x": "hi"}, "assert": [{"type": "contains", "value": "good"}]}]
    repository.write("evals/make.py", f"open({str(generated)!r}, 'w').close()\ndef cases():\n    return {made!r}\n")
    repository.write("evals/made.eval.yaml", "prompts: ['{{x}}']\nproviders: [default]\ntests: file://make.py:cases\n")
    ran = repository.pytest("--rubric")
    assert ran.code == 1
    assert ran.outcomes() == "3 failed, 1 passed"
    assert ran.text.count("is not trusted, and running a suite executes its targets and graders") >= 3
    assert repository.calls == 0
    assert not generated.exists(), "nor does a program that generates cases"
    # The counter-example: the same suites run when the folder is trusted.
    repository.trust()
    assert repository.pytest("--rubric").outcomes() == "1 failed, 3 passed"
    assert repository.calls == 3
    assert generated.exists()


def test_what_cases_of_a_program_do_is_refused_until_it_is_allowed(repository: Repository) -> None:
    made = [{"id": "made", "vars": {"x": "hi"}, "assert": [{"type": "script", "command": ["touch", "MADE"]}]}]
    repository.write("evals/make.py", f"def cases():\n    return {made!r}\n")
    repository.write("evals/made.eval.yaml", "prompts: ['{{x}}']\nproviders: [default]\ntests: file://make.py:cases\n")
    assert "make.py:cases" in repository.trust()
    ran = repository.pytest("--rubric", "evals/made.eval.yaml")
    assert f"but this does what was not allowed before:\n  execute: touch MADE ({shutil.which('touch')})\n" in ran.text
    assert f"`rubric trust --make-cases {repository.folder}`" in ran.text
    assert not list(repository.folder.rglob("MADE"))
    assert "touch MADE" in repository.trust("--make-cases")
    assert not list(repository.folder.rglob("MADE")), "what the cases do is not done"
    ran = repository.pytest("--rubric", "evals/made.eval.yaml")
    assert "was not allowed" not in ran.text
    assert list(repository.folder.rglob("MADE"))


def test_what_the_folder_does_not_remember_is_refused_and_named(trusted: Repository) -> None:
    more = (
        "  - id: new\n    criteria: c\n    input: hi\n    assertions: [{type: code-grader, command: [touch, PWNED]}]\n"
    )
    trusted.write("evals/greeting.eval.yaml", SUITE + more)
    ran = trusted.pytest("--rubric", "evals")
    assert ran.outcomes() == "2 failed, 1 passed"
    assert f"but this does what was not allowed before:\n  execute: touch PWNED ({shutil.which('touch')})\n" in ran.text
    assert f"`rubric trust {trusted.folder}` shows what the suites in it do" in ran.text
    assert trusted.calls == 2, "the others run"
    trusted.write("evals/.agentv/targets.yaml", TARGETS.replace("morning", "evening"))
    assert trusted.pytest("--rubric", "evals").outcomes() == "3 failed"
    assert trusted.calls == 2
    assert not list(trusted.folder.rglob("PWNED"))
    trusted.trust()
    assert trusted.pytest("--rubric", "evals", "-k", "evening").outcomes() == "1 passed, 2 deselected"


def test_a_replay_never_calls_the_judge_and_needs_trust_for_everything_else(repository: Repository) -> None:
    shutil.copytree(Path(__file__).parents[2] / "examples", repository.folder / "examples")
    graded = "tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: code-grader, name: g, command: [touch, PWNED]}]}\n"
    repository.write("evals/graded.eval.yaml", graded)
    ran = repository.pytest("--rubric", "--rubric-replay", "evals")
    assert ran.text.count("is not trusted, and running a suite executes its targets and graders") >= 3
    assert repository.calls == 0
    assert not list(repository.folder.rglob("PWNED")), "a replay starts targets and graders as any run does"
    repository.trust()
    repository.pytest("--rubric", "--rubric-replay", "evals")
    assert repository.calls == 3
    assert list(repository.folder.rglob("PWNED"))
    ran = repository.pytest("--rubric", "--rubric-replay", "examples/quickstart.eval.yaml")
    assert ran.outcomes() == "1 failed, 2 passed"
    assert "rubrics / apology 3/10 (needs 7)" in ran.text


def test_unscored_is_a_failure_with_its_reason(trusted: Repository) -> None:
    trusted.write("evals/judged.eval.yaml", "tests:\n  - {id: a, criteria: Kind, input: Hi, rubrics: [Is kind]}\n")
    ran = trusted.pytest("--rubric", "evals/judged.eval.yaml")
    assert (ran.code, ran.outcomes()) == (1, "1 failed")
    assert "a unscored" in ran.text
    assert "judge" in ran.text


def test_a_grader_that_did_not_run_fails_the_case_unless_it_is_allowed(trusted: Repository) -> None:
    trusted.write(
        "evals/code.eval.yaml",
        """\
        tests:
          - id: a
            criteria: Kind
            input: Hi
            assertions:
              - {type: contains, value: morning}
              - {type: code-grader, command: [no-such-program]}
        """,
    )
    trusted.trust()
    ran = trusted.pytest("--rubric", "evals/code.eval.yaml")
    assert (ran.code, ran.outcomes()) == (1, "1 failed")
    assert "no-such-program" in ran.text
    assert trusted.pytest("--rubric", "--rubric-allow-grader-errors", "evals/code.eval.yaml").outcomes() == "1 passed"


def test_a_broken_suite_is_an_error_of_the_collection(trusted: Repository) -> None:
    trusted.write("evals/none.eval.yaml", "name: nothing\ntests: []\n")
    ran = trusted.pytest("--rubric")
    assert ran.code == 2
    assert ran.outcomes() == "1 error"
    assert "there is no case to run" in ran.text


@pytest.mark.parametrize(
    ("arguments", "outcomes"),
    sample(
        [
            (("-k", "even"), "1 failed, 2 deselected"),
            (("-k", "smoke"), "1 passed, 2 deselected"),
            (("-m", "smoke"), "1 passed, 2 deselected"),
            (("-m", "slow-path"), "1 failed, 2 deselected"),
            (("-m", "shop and not smoke"), "1 failed, 2 deselected"),
            (("--strict-markers", "-m", "shop"), "1 failed, 1 passed, 1 deselected"),
            (("evals/greeting.eval.yaml::morning",), "1 passed"),
        ],
        3,
    ),
    ids=str,
)
def test_cases_are_selected_as_tests_are(trusted: Repository, arguments: tuple[str, ...], outcomes: str) -> None:
    assert trusted.pytest("--rubric", *arguments).outcomes() == outcomes


@only_thorough
def test_a_tag_never_skips_a_case_or_expects_its_failure(trusted: Repository) -> None:
    trusted.write("evals/greeting.eval.yaml", SUITE.replace("slow-path", "skip, xfail"))
    ran = trusted.pytest("--rubric")
    assert ran.outcomes() == "1 failed, 2 passed"
    assert trusted.pytest("--rubric", "-k", "xfail").outcomes() == "1 failed, 2 deselected"


def test_the_first_failure_ends_a_run_if_asked(trusted: Repository) -> None:
    trusted.write("evals/greeting.eval.yaml", SUITE + SUITE.partition("tests:\n")[2].replace("id: ", "id: late-"))
    assert trusted.pytest("--rubric", "evals", "-x").outcomes() == "1 failed, 1 passed"
    assert trusted.calls == 2, "the later cases are not even started"


def test_a_case_and_what_it_depends_on_run_once(trusted: Repository) -> None:
    depends = SUITE.replace("  - id: morning\n", "  - id: morning\n    depends_on: [evening]\n")
    trusted.write("evals/greeting.eval.yaml", depends)
    assert trusted.pytest("--rubric", "evals").outcomes() == "1 failed, 1 passed"
    assert trusted.calls == 2
    assert trusted.pytest("--rubric", "evals", "-k", "morning").outcomes() == "1 passed, 1 deselected"
    assert trusted.calls == 4, "the case that it depends on runs, too, although it is not selected"


@only_thorough
def test_hooks_run_once_for_a_suite_and_their_failure_is_a_warning(trusted: Repository) -> None:
    note = f"open({str(trusted.folder / 'hooks')!r}, 'a').write('x\\n')"
    trusted.write(
        "evals/hook.py",
        f"def beforeAll(context):\n    {note}\ndef afterAll(context):\n    raise SystemExit('no room')\n",
    )
    trusted.write(
        "evals/greeting.eval.yaml",
        """\
        extensions: ["file://hook.py:beforeAll", "file://hook.py:afterAll"]
        prompts: ["hello {{ x }}"]
        tests:
          - {vars: {x: a}, assert: [{type: contains, value: good}]}
          - {vars: {x: b}, assert: [{type: contains, value: good}]}
        """,
    )
    trusted.trust()
    ran = trusted.pytest("--rubric", "evals")
    assert ran.outcomes() == "2 passed, 1 warning"
    assert "no room" in ran.text
    assert (trusted.folder / "hooks").read_text() == "x\n"


@pytest.mark.parametrize("mode", ["load", "loadgroup"])
@only_thorough
def test_xdist_shares_the_cases(trusted: Repository, mode: str) -> None:
    ran = trusted.pytest("--rubric", "-n", "2", "--dist", mode)
    assert ran.outcomes() == "1 failed, 2 passed"
    assert "evening failed 0.00" in ran.text
    assert trusted.calls == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
@pytest.mark.parametrize("name", [b"bad\xff", b"right\xe2\x80\xaeleft", b"two\nlines"])
@only_thorough
def test_whatever_a_suite_is_called_reports_hold_no_character_that_acts(trusted: Repository, name: bytes) -> None:
    evals = trusted.folder / "evals"
    (evals / "greeting.eval.yaml").rename(evals / os.fsdecode(name + b".eval.yaml"))
    for arguments in (("-n", "2"), ("--junitxml", "junit.xml")):
        ran = trusted.pytest("--rubric", *arguments, "evals")
        assert ran.outcomes() == "1 failed, 1 passed", ran.text
        assert not re.search(r"\u202e|two\nlines", ran.text), ran.text
    (suite,) = JUnitXml.fromfile(str(trusted.folder / "junit.xml"))
    assert {case.name for case in suite} == {"morning", "evening"}


def test_junit_has_verdict_score_and_reason(trusted: Repository) -> None:
    trusted.pytest("--rubric", "evals", "--junitxml", "junit.xml")
    (suite,) = JUnitXml.fromfile(str(trusted.folder / "junit.xml"))
    cases = {case.name: case for case in suite}
    assert cases.keys() == {"morning", "evening"}
    assert not cases["morning"].result
    (failure,) = cases["evening"].result
    assert isinstance(failure, Failure)
    assert not isinstance(failure, Error)
    assert "evening failed 0.00" in failure.message
    properties = {p.get("name"): p.get("value") for p in cases["evening"]._elem.iter("property")}
    assert properties == {"verdict": "failed", "score": "0.0", "target": "default"}


@only_thorough
def test_options_choose_target_and_targets_file(trusted: Repository) -> None:
    other = trusted.write("other.yaml", "targets:\n  - {name: night, provider: mock, response: good evening}\n")
    ran = trusted.pytest("--rubric", "--rubric-target", "night", "--rubric-targets", other.name, "evals")
    assert ran.outcomes() == "1 failed, 1 passed"
    assert "FAILED evals/greeting.eval.yaml::morning" in ran.text
    ran = trusted.pytest("--rubric", "--rubric-targets", "none.yaml")
    assert ran.code == 4
    assert "none.yaml: there is no such file" in ran.text
