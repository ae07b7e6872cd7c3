"""What a trusted folder remembers: entries of plans by content, at most so many, and only for that folder."""

import hmac
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest

from rubric_core.trust import Trust


class Does:
    """A plan whose entries are these words."""

    def __init__(self, *words: str, outside: Sequence[str] = ()) -> None:
        self._words, self._outside = (*words, *outside), outside

    @property
    def outside(self) -> Collection[object]:
        return self._outside

    def entries(self, key: bytes, folder: Path) -> Mapping[str, str]:
        place = f"{folder}/"
        return {hmac.new(key, w.replace(place, "./").encode(), "sha256").hexdigest(): w for w in self._words}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suites").mkdir()
    return tmp_path / "suites"


def new(trust: Trust, folder: Path, *words: str, outside: Sequence[str] = ()) -> list[str]:
    return sorted(trust.allowed(folder, [Does(*words, outside=outside)]).values())


def test_a_folder_remembers_its_first_run_and_asks_about_everything_else(folder: Path) -> None:
    trust = Trust()
    trust.add(folder)
    assert new(trust, folder, "a", "b") == []
    assert new(trust, folder, "b") == []
    assert new(trust, folder, "a", "c") == ["c"]
    assert new(trust, folder, "c") == ["c"], "it was asked about, not allowed"
    trust.remember(folder, [Does("c")])
    assert new(trust, folder, "a", "b", "c") == []


def test_a_first_run_is_one_run_whatever_the_number_of_its_suites(folder: Path) -> None:
    trust = Trust()
    trust.add(folder)
    assert trust.allowed(folder, [Does("a"), Does("b")]) == {}
    assert new(trust, folder, "a", "b") == []


def test_a_first_run_that_reads_outside_of_the_folder_asks(folder: Path) -> None:
    trust = Trust()
    trust.add(folder)
    assert new(trust, folder, "a", outside=["/etc/passwd"]) == ["/etc/passwd", "a"]
    assert new(trust, folder, "b") == [], "nothing was remembered of it"


def test_a_list_of_an_earlier_version_is_no_memory(folder: Path) -> None:
    trust = Trust()
    trust.add(folder)
    data = json.loads(trust.file.read_text())
    data["folders"][0]["suites"] = {str(folder / "a.eval.yaml"): {"does": ["0" * 32], "cases": ["1" * 32]}}
    trust.file.write_text(json.dumps({"folders": data["folders"]}))
    assert trust.folders() == [folder]
    assert trust.new_entries(folder, [Does("a")]) is None
    assert new(trust, folder, "a") == []
    assert new(trust, folder, "b") == ["b"]


def test_a_folder_that_is_trusted_again_keeps_its_memory_and_one_that_is_removed_does_not(folder: Path) -> None:
    trust = Trust()
    trust.add(folder)
    trust.remember(folder, [Does("a")])
    trust.add(folder)
    assert new(trust, folder, "b") == ["b"]
    trust.remove(folder)
    trust.add(folder)
    assert trust.new_entries(folder, [Does("a")]) is None


def test_a_folder_that_was_moved_is_trusted_anew_and_remembers(folder: Path) -> None:
    trust = Trust()
    trust.add(folder)
    trust.remember(folder, [Does(f"{folder}/run.sh"), Does("/elsewhere/run.sh")])
    moved = folder.rename(folder.with_name("moved"))
    assert trust.folders() == []
    trust.add(moved)
    assert new(trust, moved, f"{moved}/run.sh", "/elsewhere/run.sh") == []
    assert new(trust, moved, f"{folder}/run.sh") == [f"{folder}/run.sh"]


def test_another_folder_in_its_place_remembers_nothing(folder: Path) -> None:
    trust = Trust()
    trust.add(folder)
    trust.remember(folder, [Does("a")])
    folder.rename(folder.with_name("aside"))
    folder.mkdir()
    assert not trust.allows(folder)
    trust.add(folder)
    assert trust.new_entries(folder, [Does("a")]) is None


def test_what_an_editor_trusts_is_remembered_and_not_trusted(folder: Path) -> None:
    trust = Trust()
    assert new(trust, folder, "a") == []
    assert new(trust, folder, "b") == ["b"]
    assert not trust.allows(folder)
    assert trust.folders() == []
    # An earlier version trusts every row of `folders`.
    assert json.loads(trust.file.read_text())["folders"] == []
    trust.add(folder)
    assert new(trust, folder, "a") == []
    assert new(trust, folder, "b") == ["b"]


def test_the_longest_unused_are_forgotten(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rubric_core.trust._MOST", 10)
    trust = Trust()
    trust.add(folder)
    for number in range(10):
        trust.remember(folder, [Does(str(number))])
    assert new(trust, folder, "0") == [], "now it was used last"
    for number in range(10, 19):
        trust.remember(folder, [Does(str(number))])
    assert new(trust, folder, "0") == []
    assert new(trust, folder, *map(str, range(1, 10))) == [str(number) for number in range(1, 10)]


def test_the_list_reveals_nothing_and_counts_only_with_the_key(folder: Path, state: Path) -> None:
    trust = Trust()
    trust.add(folder)
    trust.remember(folder, [Does("echo secret")])
    assert "secret" not in trust.file.read_text()
    (state / "rubric" / "cache.key").write_bytes(bytes(32))
    assert new(trust, folder, "echo secret") == ["echo secret"]
    (state / "rubric" / "cache.key").write_bytes(b"short")
    with pytest.raises(OSError, match="is not a key"):
        new(trust, folder, "echo secret")


def test_a_first_run_that_cannot_be_remembered_is_no_permission(folder: Path, state: Path) -> None:
    trust = Trust()
    trust.add(folder)
    (state / "rubric" / "trust.json.lock").mkdir()
    with pytest.raises(OSError, match="directory"):
        new(trust, folder, "a")
