"""Short forms of what `make chaos` does at length: the same parts, with a few of everything."""

from pathlib import Path

import pytest
from thorough import THOROUGH

from . import doors
from .damaged import damage
from .parts import PARTS
from .tally import Part, Setting, Tally

#: What has a long form only: the same at length is among other tests, or a short form shows nothing.
LONG = {"bombs", "bulk", "disk", "servers"}
#: Those that are tried before a commit.
QUICK = {"doors", "edits", "names"}
SHORT = [part for part in PARTS if part.name not in LONG]


@pytest.mark.parametrize("part", [part for part in SHORT if THOROUGH or part.name in QUICK], ids=lambda part: part.name)
def test_nothing_breaks(part: Part, tmp_path: Path) -> None:
    tally = Tally()
    part.run(Setting(7, tmp_path, short=True), tally)
    assert tally.faults == []
    assert sum(tally.counts.values()) > 10


def test_the_same_seed_damages_in_the_same_way() -> None:
    data = b"tests:\n  - id: a\n    input: hi\n"
    one, same, other = ([damage(data, data, Setting(seed, Path()).random("x")) for _ in range(3)] for seed in (1, 1, 2))
    assert one == same != other


def test_a_fault_is_counted_and_shown_again() -> None:
    tally = Tally()
    tally.expect(False, "broken", text="x")
    with tally.no_exception("a text"):
        raise ValueError("odd")
    again = Tally.from_json(tally.to_json())
    assert again.faults == ["broken", "a text: ValueError: odd"]
    assert again.evidence[0] == {"fault": "broken", "text": "x"}


def test_parts_have_names_of_their_own() -> None:
    assert len({part.name for part in PARTS}) == len(PARTS)
    assert {part.name for part in PARTS} > LONG


def test_a_server_that_lacks_an_extra_says_so_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "websockets.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'websockets'\", name='websockets')"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        pytest.raises(RuntimeError, match="--ws needs the package websockets: pip install websockets"),
        doors._listening(tmp_path, "--ws"),
    ):
        raise AssertionError("it listens")
