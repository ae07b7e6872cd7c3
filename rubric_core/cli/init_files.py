"""The texts that `rubric init` writes: a suite of three cases, its recordings, an example bot, and the job of a CI server."""

import json
import os
from dataclasses import dataclass

__all__ = [
    "CI_FILES",
    "EXAMPLE_BOT",
    "EXAMPLE_TARGET",
    "FirstTarget",
    "ci_text",
    "command_target",
    "example_target",
    "recordings",
    "suite",
    "targets",
]

#: The target that answers the three cases, so that the first run needs no system of the user's.
EXAMPLE_TARGET = "example-bot"
#: Where each CI server looks for its job.
CI_FILES = {"github": ".github/workflows/rubric.yml", "gitlab": ".gitlab-ci.yml"}

_WARM = (
    "Of course! You can return the coat within 30 days, and you get a full refund as soon as it is back with us. "
    "Shipping is free."
)

_PYTHON = "python" if os.name == "nt" else "python3"

#: In agentv-3, which the newest release on npm (4.42.4) runs: it rejects the keys of agentv-5.
_SUITE = """\
# {name}.eval.yaml: what your system is asked, and what makes an answer good.
# rubric check finds mistakes in it; rubric explain CODE explains one.
name: {name}
description: Three first cases; replace them with questions that your users ask

execution:
  # bot.py answers, so that this runs offline. For your own system, write {hint}
  target: example-bot

tests:
  # Graded by fixed rules: no model, no cost.
  - id: greeting
    criteria: Greets the customer
    input: Good morning!
    assertions:
      - type: icontains
        value: good morning

  # Graded by a judge, a model that reads the answer. Its replies are recorded in {name}.recordings.yaml.
  - id: return-a-coat
    criteria: Explains when a coat can be returned, and what happens then
    input: Can I return the coat I bought last week?
    assertions:
      - type: contains
        value: 30 days
      - type: rubrics
        criteria:
          # The judge gives a score from 0 to 10; each band starts at its key.
          - id: tone
            outcome: Sounds like a person who is glad to help
            min_score: 0.7
            score_ranges:
              0: Rude
              3: Curt
              7: Warm

  # Graded by shape: the answer has to be JSON.
  - id: order-as-json
    criteria: Gives the status of an order as JSON
    input: Give me order 4711 as JSON, and nothing else.
    assertions:
      - type: is-json
"""

_RECORDINGS = """\
# What a judge says of the answer of bot.py; written by hand, so that the first run needs no model.
# `rubric run --record --grader-target NAME` writes this file with what a real judge says.
version: 1
recordings:
- judge: hand-written
  case: return-a-coat
  evaluator: rubrics
  prompt: built-in 1
  question: Can I return the coat I bought last week?
  goal: Explains when a coat can be returned, and what happens then
  answer: {answer}
  criteria:
  - criterion: Sounds like a person who is glad to help
    bands:
      0-2: Rude
      3-6: Curt
      7-10: Warm
    reply:
      score: 8
      reasoning: Friendly from the first word, and it says what happens next.
"""

#: A bot that answers the three cases.
EXAMPLE_BOT = '''\
"""An example bot, so that there is something to test: `python3 bot.py "a question"`."""

import json
import sys

ANSWERS = {
    "morning": "Good morning! How can I help you today?",
    "return": "Of course! You can return the coat within 30 days, and you get a full refund as soon as it is back with us. "
    "Shipping is free.",
    "json": json.dumps({"order": 4711, "status": "shipped"}),
}

if __name__ == "__main__":
    question = " ".join(sys.argv[1:]).lower()
    print(next((answer for word, answer in ANSWERS.items() if word in question), "I do not know that yet."))
'''

_GITHUB = """\
# Checks the suites at every push, and runs them with recorded answers and judges: no key, no cost.
name: evals
on: [push, pull_request]
permissions:
  contents: read
jobs:
  rubric:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5  # v4.3.1
      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065  # v5.6.0
        with: {{python-version: "3.12"}}
      - run: pip install {package}
      - run: rubric check --format github
      - run: rubric run {folder} --replay -o junit.xml
      - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02  # v4.6.2
        if: always()
        with: {{name: evals, path: junit.xml}}
"""

_GITLAB = """\
# Checks the suites at every push, and runs them with recorded answers and judges: no key, no cost.
evals:
  image: python:3.12
  script:
    - pip install {package}
    - rubric check
    - rubric run {folder} --replay -o junit.xml
  artifacts:
    when: always
    reports:
      junit: junit.xml
"""


@dataclass(frozen=True)
class FirstTarget:
    """A target to write: its name, the comment above it, and its keys with their YAML values, in order."""

    name: str
    comment: str
    keys: tuple[tuple[str, str], ...]

    def lines(self, indent: str) -> list[str]:
        """Its lines as an item of a block list, `indent` before the dash."""
        first, *others = [("name", self.name), *self.keys]
        return [
            f"{indent}# {self.comment}",
            f"{indent}- {first[0]}: {first[1]}",
            *(f"{indent}  {key}: {value}" for key, value in others),
        ]


def suite(name: str, target: str | None) -> str:
    """The text of the suite; `target` is the name of the system under test, None if there is none yet."""
    return _SUITE.format(name=name, hint=f"`target: {target}`" if target else "the name of its target")


def recordings(name: str) -> str:
    """The recorded replies of the judge."""
    return _RECORDINGS.format(name=name, answer=json.dumps(_WARM))


def targets(written: list[FirstTarget]) -> str:
    """A targets file."""
    head = (
        "# Who answers, and who judges. A value in ${{ … }} comes from the environment when a suite runs.\ntargets:\n"
    )
    return head + "\n\n".join("\n".join(target.lines("  ")) for target in written) + "\n"


def example_target() -> FirstTarget:
    """The target for the example bot."""
    return command_target(
        EXAMPLE_TARGET, "An example that answers the first cases: offline and free.", "bot.py {PROMPT}"
    )


def command_target(name: str, comment: str, command: str, cwd: str = "") -> FirstTarget:
    """A target that is a command.

    Args:
        name: Its name.
        comment: A description for readers of the file.
        command: The command line; a bare Python script is run with the usual interpreter.
        cwd: Its working directory, relative to the targets file; the folder of the suite if empty.
    """
    if command.startswith("bot.py"):
        command = f"{_PYTHON} {command}"
    keys = [("provider", "cli"), ("command", json.dumps(command, ensure_ascii=False))]  # JSON's strings are valid YAML
    return FirstTarget(name, comment, (*keys, *([("cwd", json.dumps(cwd))] if cwd else [])))


def ci_text(server: str, package: str, folder: str) -> str:
    """The job of a CI server; `package` is what pip installs, `folder` holds the suites."""
    text = {"github": _GITHUB, "gitlab": _GITLAB}[server]
    return text.format(package=package, folder=folder)
