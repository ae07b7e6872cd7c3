"""The hooks for pre-commit, tried with pre-commit itself against a clone of this repository."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest
import yaml
from strangers import REPOSITORY, git, run
from thorough import only_thorough

HOOKS = {
    hook["id"]: hook for hook in yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
SUITE = """\
tests:
  - id: greeting
    criteria: Greets the customer
    input: Good morning!
    assertions:
      - {type: contains, value: morning, wieght: 2}
"""
INCLUDING = "tests: cases/more.jsonl\n"
PROMPTFOO = "prompts: [hi]\nproviders: [echo]\ntests:\n  - asserts: [{type: contains, value: a}]\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environment into which it installs rubric, once for all tests."""
    if importlib.util.find_spec("pre_commit") is None:
        pytest.skip("pre-commit is not installed")
    return tmp_path_factory.mktemp("pre-commit")


def hooked(project: Path, clone: Path, home: Path, *hooks: str) -> tuple[int, str]:
    """The exit code and the output of pre-commit over what is staged."""
    listed = "".join(f"      - {hook}\n" for hook in hooks)
    config = f"repos:\n  - repo: {clone}\n    rev: {git(clone, 'rev-parse', 'HEAD')}\n    hooks:\n{listed}"
    (project / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    git(project, "add", "-A")
    done = run([sys.executable, "-m", "pre_commit", "run", "--verbose"], project, PRE_COMMIT_HOME=str(home))
    if "CalledProcessError" in done.stdout and "pip" in done.stdout:
        pytest.skip(f"pip cannot install rubric's requirements here: {done.stdout[-300:]}")
    return done.returncode, done.stdout + done.stderr


def written(project: Path, name: str, text: str) -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text(text, encoding="utf-8")


@only_thorough
def test_a_mistake_in_a_suite_stops_the_commit(project: Path, clone: Path, home: Path) -> None:
    written(project, "evals/a.eval.yaml", SUITE)
    code, said = hooked(project, clone, home, "{id: rubric-check, args: [--strict]}")
    assert code == 1, said
    assert "evals/a.eval.yaml:6:42 warning[unknown-key]" in said
    written(project, "evals/a.eval.yaml", SUITE.replace("wieght", "weight"))
    code, said = hooked(project, clone, home, "{id: rubric-check, args: [--strict]}")
    assert code == 0, said
    assert "no findings in" in said


@only_thorough
def test_the_fixing_hook_changes_the_file_and_stops_once(project: Path, clone: Path, home: Path) -> None:
    written(project, "evals/a.eval.yaml", SUITE)
    code, said = hooked(project, clone, home, "id: rubric-fix")
    assert code == 1, said
    assert "files were modified by this hook" in said
    assert (project / "evals/a.eval.yaml").read_text(encoding="utf-8") == SUITE.replace("wieght", "weight")
    code, said = hooked(project, clone, home, "id: rubric-fix")
    assert code == 0, said


@only_thorough
def test_a_changed_case_file_checks_the_suite_that_includes_it(project: Path, clone: Path, home: Path) -> None:
    written(project, "evals/a.eval.yaml", INCLUDING)
    written(project, "evals/cases/more.jsonl", '{"id": "a", "criteria": "Greets", "input": "Hello"}\n')
    code, said = hooked(project, clone, home, "id: rubric-check")
    assert code == 0, said
    git(project, "commit", "-qm", "First")
    written(project, "evals/cases/more.jsonl", '{"id": "a", "criteria": "Greets", "input": \n')
    code, said = hooked(project, clone, home, "id: rubric-check")
    assert code == 1, said
    assert "more.jsonl:1" in said


@pytest.mark.parametrize("hook", ["rubric-check", "rubric-promptfoo"])
@only_thorough
def test_promptfoo_configurations_are_found(hook: str, project: Path, clone: Path, home: Path) -> None:
    written(project, "app/promptfooconfig.yaml", PROMPTFOO)
    code, said = hooked(project, clone, home, f"{{id: {hook}, args: [--strict]}}")
    assert code == 1, said
    assert "app/promptfooconfig.yaml:4:5 error[promptfoo/unknown-key]" in said
    written(project, "app/promptfooconfig.yaml", PROMPTFOO.replace("asserts", "assert"))
    assert hooked(project, clone, home, f"{{id: {hook}, args: [--strict]}}")[0] == 0


@only_thorough
def test_nothing_starts_where_nothing_could_matter(project: Path, clone: Path, home: Path) -> None:
    written(project, "picture.png", "no picture")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "First")
    written(project, "picture.png", "another")
    done = hooked(project, clone, home, "id: rubric-promptfoo")
    assert done[0] == 0, done[1]
    assert "no files to check" in done[1]


@pytest.mark.parametrize(
    "name",
    [
        "evals/refund.eval.yaml", "suite.yml", ".agentv/targets.yaml", "evals/cases/more.jsonl", "data/questions.csv",
        "prompts/judge.md", "prompts/system.txt", "prompts/turn.j2", "graders/length.py", ".rubric.toml", "pyproject.toml",
    ],
)  # fmt: skip
def test_files_that_a_suite_may_refer_to_start_the_check(name: str) -> None:
    assert all(re.search(HOOKS[hook]["files"], name) for hook in ("rubric-check", "rubric-fix"))
    assert not re.search(HOOKS["rubric-promptfoo"]["files"], name)


def test_the_page_names_every_hook_and_no_other() -> None:
    page = (REPOSITORY / "docs/ci.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(rubric-[a-z]+)` \|", page, re.MULTILINE)) == set(HOOKS)
    assert set(re.findall(r"id: (rubric-[a-z]+)", page)) <= set(HOOKS)
