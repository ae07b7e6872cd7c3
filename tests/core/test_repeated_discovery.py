"""Repeated walks of folders: only changes are read, and the result is that of a first walk."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import LANGUAGE

from rubric_core.configuration import Configurations
from rubric_core.configuration import folder_scope as module
from rubric_core.configuration.discovery import Discovery

SUITE = "tests:\n  - {id: a, criteria: x, input: hi}\n"
NAMES = ("a.eval.yaml", "suite.yaml", "b.test.yaml", "plain.yaml", "notes.md")
FOLDERS = (".", "evals", "evals/deep", "one/two", "build", "one/evals")
TEXTS = (SUITE, "evalcases: []\n", "kind: Deployment\n", "")


def aged(folder: Path) -> None:
    """As if everything had been written a while ago: what was changed just now is never taken as it was."""
    for number, path in enumerate((folder, *folder.rglob("*"))):
        if path.stat().st_mtime > 1_600_000_000:
            os.utime(path, (1_500_000_000 + number, path.stat().st_mtime_ns % 100_000_000))


def walk(discovery: Discovery, folder: Path) -> list[str]:
    return list(discovery.suites(str(folder)))


@pytest.mark.parametrize("keeps_account", [True, False])
def test_any_yaml_file_may_become_a_configuration(tmp_path: Path, keeps_account: bool) -> None:
    """Whoever keeps account of what a check depends on sees it at once, others when it is reported."""
    notes = tmp_path / "notes.yaml"
    notes.write_text("a: 1\n", encoding="utf-8")
    aged(tmp_path)
    discovery = Discovery(Configurations(LANGUAGE), keeps_account=keeps_account)
    assert walk(discovery, tmp_path) == []
    notes.write_text("prompts: [hi]\nproviders: [echo]\ntests: []\n", encoding="utf-8")
    if not keeps_account:
        discovery.changed([notes])
    assert walk(discovery, tmp_path) == [str(notes)]


def test_only_what_changed_is_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder / "evals").mkdir(parents=True)
        (tmp_path / folder / "evals" / "suite.yaml").write_text(SUITE, encoding="utf-8")
    aged(tmp_path)
    looked: list[Path] = []
    head = module.head_is_eval_yaml

    def counted(path: Path) -> bool | None:
        looked.append(path)
        return head(path)

    monkeypatch.setattr(module, "head_is_eval_yaml", counted)
    discovery = Discovery(Configurations(LANGUAGE))
    both = [tmp_path / folder / "evals" / "suite.yaml" for folder in ("one", "two")]
    assert walk(discovery, tmp_path) == [str(path) for path in both]
    assert set(looked) == set(both)
    looked.clear()
    assert walk(discovery, tmp_path) == [str(path) for path in both]
    assert looked == []
    both[1].write_text("kind: Deployment\n", encoding="utf-8")
    assert walk(discovery, tmp_path) == [str(both[0])]
    assert set(looked) == {both[1]}


@pytest.mark.parametrize("seed", range(8))
def test_a_second_walk_finds_what_a_first_one_finds(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    (tmp_path / ".git" / "info").mkdir(parents=True)
    root = tmp_path / "project"
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    kept = Discovery(Configurations(LANGUAGE))
    for _ in range(12):
        rng.choice(EDITS)(root, rng)
        if rng.random() < 0.7:
            aged(tmp_path)
        assert walk(kept, root) == walk(Discovery(Configurations(LANGUAGE)), root)


def _write(root: Path, rng: random.Random) -> None:
    folder = root / rng.choice(FOLDERS)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / rng.choice(NAMES)).write_text(rng.choice(TEXTS), encoding="utf-8")


def _remove(root: Path, rng: random.Random) -> None:
    files = sorted(path for path in root.rglob("*") if path.is_file())
    if files:
        rng.choice(files).unlink()


def _remove_folder(root: Path, rng: random.Random) -> None:
    shutil.rmtree(root / rng.choice(FOLDERS[1:]), ignore_errors=True)


def _ignore(root: Path, rng: random.Random) -> None:
    folder = rng.choice([root, root.parent, root / "evals"])
    folder.mkdir(exist_ok=True)
    (folder / ".gitignore").write_text(rng.choice(["deep/\n", "*.test.yaml\n", "", "evals\n"]), encoding="utf-8")


def _configure(root: Path, rng: random.Random) -> None:
    text = rng.choice(['exclude = ["one"]\n', 'include = ["**/plain.yaml"]\n', ""])
    (root / ".rubric.toml").write_text(text, encoding="utf-8")


def _patterns(root: Path, rng: random.Random) -> None:
    folder = rng.choice([root, root.parent]) / ".agentv"
    folder.mkdir(exist_ok=True)
    (folder / "config.yaml").write_text(rng.choice(['eval_patterns: ["**/plain.yaml"]\n', "{}\n"]), encoding="utf-8")


EDITS: tuple[Callable[[Path, random.Random], None], ...] = (
    _write, _write, _write, _remove, _remove_folder, _ignore, _configure, _patterns,
)  # fmt: skip
