"""A project with a bit of everything that a suite can refer to, and what may happen to its files."""

import os
import re
import time
from pathlib import Path

from command import BROKEN, CLEAN, Ran, write

SUITE = """\
tests:
  - id: refund
    input: Can I return this?
    criteria: Names the 30 day window
    execution:
      target: {target}
    assertions:
      - type: llm-grader
        prompt: {prompt}
"""
TARGETS = (
    "targets:\n  - {name: default, provider: mock}\n  - {name: one, provider: mock}\n  - {name: two, provider: mock}\n"
)
PROMPT = "Grade {{ output }} against {{ criteria }}.\n"
CASES = "- {id: extra, input: Hello, criteria: Greets}\n"
#: Nanoseconds, longer than those of the file systems on which tests run.
TICK = 20_000_000


def plant() -> None:
    """A project with a bit of everything that a suite can refer to."""
    write(".git/HEAD", "ref: refs/heads/main\n")
    write(".agentv/targets.yaml", TARGETS)
    write("evals/prompts/grade.md", PROMPT)
    write("evals/more.yaml", CASES)
    write("evals/one.eval.yaml", SUITE.format(target="one", prompt="prompts/grade.md"))
    write("evals/two.eval.yaml", SUITE.format(target="two", prompt="prompts/gone.md"))
    write("evals/broken.eval.yaml", BROKEN)
    write("evals/clean.eval.yaml", CLEAN)
    write("evals/led.eval.yaml", "tests:\n  - file://more.yaml\n")


def said(ran: Ran) -> tuple[object, ...]:
    """Everything but the time."""
    return ran.code, re.sub(r"\d+\.\d\d s", "", ran.out), re.sub(r"\d+\.\d\d s", "", ran.err)


def settle() -> None:
    """Let the clock tick: what changed before is known to have changed before."""
    time.sleep(1.5 * TICK / 10**9)


def swap(one: Path, other: Path) -> None:
    """Give two files each other's name, without a change to either."""
    one.rename("kept")
    other.rename(one)
    Path("kept").rename(other)


def link(path: str, to: str) -> None:
    """Let a link lead to something else, without a change to anything that it leads to."""
    Path("another").symlink_to(to)
    Path("another").replace(path)


def same_stamp(path: str, old: str, new: str) -> None:
    """Change a file in place so that its size and the time of its content stay as they were."""
    file = Path(path)
    before = file.stat()
    with file.open("r+", encoding="utf-8") as opened:
        text = opened.read()
        opened.seek(0)
        opened.write(text.replace(old, new))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = file.stat()
    assert old in text
    assert (after.st_size, after.st_mtime_ns, after.st_ino) == (before.st_size, before.st_mtime_ns, before.st_ino)
