"""Codes of a family and their groups: what is said of a code counts more than what is said of its group."""

from collections.abc import Callable
from pathlib import Path

import pytest
from command import Run

WEIGHT, THRESHOLD = "promptfoo/weight", "promptfoo/threshold"
CONFIG = """\
prompts: ["Say {{word}}"]
providers: [echo]
tests:
  - vars: {word: hi}
    assert:
      - {type: contains, value: hi, weight: -1}
    threshold: 50
"""


@pytest.fixture
def codes(rubric: Run, here: Path) -> Callable[..., list[str]]:
    """The codes that a check of the configuration finds."""

    def found(*arguments: str, settings: str = "", comment: str = "") -> list[str]:
        text = CONFIG.replace("weight: -1}", f"weight: -1}}{comment}")
        (here / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
        (here / ".rubric.toml").write_text(settings, encoding="utf-8")
        return [row["code"] for row in rubric("check", "promptfooconfig.yaml", "--format", "json", *arguments).json]

    return found


def test_both_are_reported_with_their_own_codes(codes) -> None:
    assert codes() == [WEIGHT, THRESHOLD]


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (("--select", "bad-weight"), [WEIGHT]),
        (("--select", WEIGHT), [WEIGHT]),
        (("--ignore", "bad-weight"), [THRESHOLD]),
        (("--ignore", WEIGHT), [THRESHOLD]),
        (("--ignore", "invalid-value"), [WEIGHT]),
        (("--select", f"{THRESHOLD},{WEIGHT}", "--ignore", "invalid-value"), [WEIGHT, THRESHOLD]),
        (("--select", "invalid-value", "--ignore", THRESHOLD), []),
    ],
)
def test_on_the_command_line(codes, arguments: tuple[str, ...], left: list[str]) -> None:
    assert codes(*arguments) == left


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ('ignore = ["bad-weight"]\n', [THRESHOLD]),
        (f'ignore = ["{THRESHOLD}"]\n', [WEIGHT]),
        ('severity = {bad-weight = "off"}\n', [THRESHOLD]),
        (f'severity = {{"{WEIGHT}" = "hint", bad-weight = "off"}}\n', [WEIGHT, THRESHOLD]),
    ],
)
def test_in_settings(codes, settings: str, left: list[str]) -> None:
    assert codes(settings=settings) == left


@pytest.mark.parametrize("code", ["bad-weight", WEIGHT])
def test_in_a_comment(codes, code: str) -> None:
    assert codes(comment=f" # rubric: ignore[{code}]") == [THRESHOLD]


def test_a_misspelt_one_is_corrected(codes) -> None:
    assert codes(comment=" # rubric: ignore[promptfoo/wieght]") == [WEIGHT, "unused-ignore", THRESHOLD]
    assert codes(comment=f" # rubric: ignore {WEIGHT}") == [WEIGHT, "unused-ignore", THRESHOLD]
