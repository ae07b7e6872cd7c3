"""The tutorial: each of its commands is run, one after the other, in an empty folder."""

import re
import shlex
from pathlib import Path

from command import Run

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"


def test_every_command_of_the_tutorial_succeeds(process: Run) -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    commands = [shlex.split(line) for block in blocks for line in block.splitlines()]
    assert [command[:2] for command in commands[:3]] == [["rubric", "init"], ["rubric", "check"], ["rubric", "run"]]
    for _, *arguments in commands:
        done = process(*arguments)
        assert (done.code, done.err) == (0, ""), (arguments, done.out)
    written = {line.split("`")[1] for line in text.splitlines() if line.startswith(("| `evals/", "| `.agentv/"))}
    assert {name for name in written if not Path(name).is_file()} == set()
    assert len(written) == 4
    assert Path("report.html").is_file()
    assert Path("junit.xml").is_file()


def test_its_mistake_is_found_and_fixed(process: Run) -> None:
    process("init", "--yes")
    suite = Path("evals/first.eval.yaml")
    sound = suite.read_text(encoding="utf-8")
    line = "            outcome: Sounds like a person who is glad to help\n"
    suite.write_text(sound.replace(line, f"{line}            wieght: 2\n"), encoding="utf-8")
    assert "wieght" in process("check").out
    process("check", "--fix")
    assert suite.read_text(encoding="utf-8") == sound.replace(line, f"{line}            weight: 2\n")
