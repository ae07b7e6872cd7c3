"""The corpus checked as a person checks a folder: suites with the targets, cases, data sets and prompts around them."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from corpus import CORPUS, needs_corpus
from thorough import only_thorough

EXCEPTIONS = Path(__file__).parent / "corpus_folder_exceptions.tsv"

pytestmark = pytest.mark.corpus


def errors(folder: Path) -> set[tuple[str, str]]:
    command = [sys.executable, "-m", "rubric_core.cli", "check", ".", "--format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    assert done.returncode in (0, 1), done.stderr.decode()
    return {(f"{folder.name}/{f['path']}", f["code"]) for f in json.loads(done.stdout) if f["severity"] == "error"}


@needs_corpus
@only_thorough
def test_no_file_of_any_release_has_an_error_but_those_of_the_list():
    with EXCEPTIONS.open(encoding="utf-8", newline="") as rows:
        known = {(row["file"], row["code"]) for row in csv.DictReader(rows, delimiter="\t") if row["why"]}
    found: set[tuple[str, str]] = set()
    for folder in sorted(p for p in CORPUS.iterdir() if p.is_dir()):
        found |= errors(folder)
    assert found == known
