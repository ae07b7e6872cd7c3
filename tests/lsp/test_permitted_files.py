"""What becomes of a file between the answer to the question before a run and the moment in which the run reads it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from client import VSCODE, Client, Connect, until
from running import ended, run, written

from rubric_core.evaluation.results.database import ResultDatabase

SUITE = """\
# rubric: dialect=agentv-3
execution: {workers: 1}
tests:
  - {id: first, criteria: x, input: hi, assertions: [{type: contains, value: hi}]}
  - id: second
    criteria: x
    input: [{role: user, content: [{type: file, value: asked.md}]}]
    assertions: [{type: contains, value: hi}]
"""
#: Gives back what it is asked; the first one waits until the file has been changed.
COMMAND = "touch BEGUN; until test -e GO; do sleep 0.05; done; cat {PROMPT_FILE} {FILES}"


def _leads_outside(asked: Path) -> None:
    secret = asked.parent.parent / "secret"
    secret.write_text("hi, the secret", encoding="utf-8")
    asked.unlink()
    asked.symlink_to(secret)


def _leads_elsewhere_in_the_folder(asked: Path) -> None:
    other = asked.with_name("other.md")
    other.write_text("hi, another text", encoding="utf-8")
    asked.unlink()
    asked.symlink_to(other)


def _names_a_variable(asked: Path) -> None:
    asked.write_text("hi {{ env.HOME }}", encoding="utf-8")


def _has_another_text(asked: Path) -> None:
    asked.write_text("hi, another text", encoding="utf-8")


def _started(connect: Connect, folder: Path) -> Client:
    """A run whose first case has begun, for it was allowed."""
    target = {"name": "default", "provider": "cli", "command": COMMAND}
    written(
        folder,
        {
            "a.eval.yaml": SUITE,
            "asked.md": "hi",
            ".git/HEAD": "",
            ".agentv/targets.yaml": json.dumps({"targets": [target]}),
        },
    )
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, SUITE)
    client.replies["window/showMessageRequest"] = lambda _: {"title": "Run once"}
    run(client, uri)
    until("the first case", (folder / "BEGUN").exists)
    return client


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (_leads_outside, "it leads to another file than when the run was allowed"),
        (_names_a_variable, "since the run was allowed, it names HOME of the environment"),
        (_leads_elsewhere_in_the_folder, ""),
        (_has_another_text, ""),
    ],
)
def test_a_file_that_changes_after_the_answer_is_read_only_for_what_was_allowed(
    connect: Connect, tmp_path: Path, change: Callable[[Path], None], refused: str
) -> None:
    folder = tmp_path / "suites"
    client = _started(connect, folder)
    change(folder / "asked.md")
    (folder / "GO").touch()
    ended(client)
    client.shut_down()
    result = ResultDatabase.of(folder / "a.eval.yaml").latest(folder / "a.eval.yaml")["second"].result
    assert (refused in result.reason) if refused else result.verdict.value == "passed", result
    assert "the secret" not in repr(result)
