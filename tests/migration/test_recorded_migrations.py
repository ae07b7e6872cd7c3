"""What becomes of hundreds of texts on the way to the newest dialect, in each way and under small damage, as recorded.

A line has what the text was taken for, and checksums of what is made of it, each with the number of its notes. Of promptfoo's
configurations it is the suite that is written.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

import pytest
import yaml
from harness import analysis_of
from promptfoo_runs import converted
from record import WHOLE, checksum, compare, is_sampled, shortened
from sample_texts import damaged, sample_texts

from rubric_core.analysis import Analysis
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError
from rubric_core.families.promptfoo.migration.suite import ConvertedConfiguration, NothingCarriedError
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.migration import MigrationNote, NotMigratableError, Offer, migrate, steps, steps_at
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.text import apply_edits

RECORDS = Path(__file__).with_name("records")
PROMPTFOO_FILES = Path(__file__).parents[1] / "parity" / "promptfoo" / "suites"
NAMES = [dialect.name for dialect in DIALECTS]
CONFIGURATION = "# promptfooconfig.yaml\n"
SAMPLES = sample_texts()
TEXTS = {
    name: text
    for name, text in SAMPLES.items()
    if ": Fixed" not in name and not text.startswith(("--- ", "[tool", "# rubric: dialect=promptfoo", CONFIGURATION))
}
#: Each text is damaged in so many ways.
DAMAGES = 2
#: Before a commit, one text in so many is compared.
STEP = 4


def told(text: str, notes: Sequence[MigrationNote]) -> str:
    """A text with its notes: how many there are, and a checksum of all."""
    return (
        f"{len(notes)} {checksum(chr(10).join([text, *(f'{each.offset} {each.words} {each.file}' for each in notes)]))}"
    )


def migrated(text: str, source: str, target: str, kind: FileKind = FileKind.SUITE) -> str:
    try:
        made = migrate(text, source, target, kind=kind)
    except NotMigratableError as error:
        return f"{error.offset} {shortened(str(error))}"
    return told(made.text, made.notes)


def offered(text: str, offers: Sequence[Offer]) -> str:
    """The titles of offers, and what they make of a text."""
    shown = (f"{each.title} {each.scope} {told(apply_edits(text, each.edits), each.notes)}" for each in offers)
    return f"{len(offers)} {checksum(chr(10).join(shown))}"


def ways(text: str, number: int) -> Iterator[str]:
    """All that can be made of a text."""
    analysis = analysis_of(text)
    if not isinstance(analysis, Analysis) or analysis.dialect.name not in NAMES:
        return
    own, kind = analysis.dialect.name, analysis.kind
    yield f"{own} {kind.name.lower()} {migrated(text, own, NAMES[-1], kind)}"
    other = NAMES[number % len(NAMES)]
    yield f"{other} {migrated(text, other, NAMES[-1], kind)}"
    yield f"steps {offered(text, steps(analysis))}"
    ends = [at for at, sign in enumerate(text) if sign == "\n"]
    ends = ends[number % 5 :: 1 + len(ends) // 4]
    yield f"here {checksum(' '.join(offered(text, steps_at(analysis, at)) for at in ends))}"


@pytest.mark.parametrize("source", sorted({name.partition(":")[0].partition(" ")[0] for name in TEXTS}))
def test_suites(source: str) -> None:
    lines: list[str] = []
    for name, text in TEXTS.items():
        is_compared = name.startswith(f"{source} ") and is_sampled(name, STEP)
        found = list(ways(text, crc32(name.encode()))) if is_compared else []
        if found:
            found += [migrated(each, found[0].partition(" ")[0], NAMES[-1]) for each in damaged(name, text, DAMAGES)]
            lines.append(f"{name.removeprefix(f'{source} ')} | {' | '.join(found)}")
    compare(RECORDS / f"{source}.txt", lines, is_sample=not WHOLE)


def test_data_sets() -> None:
    """The cases of every fifth suite, a line each."""
    lines: list[str] = []
    fifth = ((name, text) for name, text in TEXTS.items() if crc32(name.encode()) % 5 == 0)
    for name, text in ((name, text) for name, text in fifth if is_sampled(name, STEP)):
        tree = parse(text)
        value = plain(tree.root, tree.anchors) if not tree.problems else None
        cases = (
            next((value[key] for key in ("tests", "evalcases", "cases") if isinstance(value.get(key), list)), [])
            if isinstance(value, dict)
            else []
        )
        written = "\n".join(json.dumps(each, ensure_ascii=False) for each in cases)
        if written:
            lines.append(
                f"{name} | {' | '.join(migrated(written, source, NAMES[-1], FileKind.DATASET) for source in NAMES)}"
            )
    compare(RECORDS / "data-sets.txt", lines, is_sample=not WHOLE)


def test_configurations_of_promptfoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "suites"
    shutil.copytree(PROMPTFOO_FILES, folder)
    monkeypatch.chdir(folder)  # notes name files from the current folder
    lines: list[str] = []
    for name, text in SAMPLES.items():
        if text.startswith(CONFIGURATION) and is_sampled(name, STEP):
            body = text.removeprefix(CONFIGURATION)
            found = [
                conversion(each, folder / "promptfooconfig.yaml") for each in (body, *damaged(name, body, 2 * DAMAGES))
            ]
            lines.append(f"{name} | {' | '.join(found)}")
            each_test = [conversion(part, folder / "promptfooconfig.yaml") for part in alone(body)]
            lines += [f"  alone {' | '.join(each_test)}"] if each_test else []
    compare(RECORDS / "configurations.txt", lines, is_sample=not WHOLE)


def alone(text: str) -> Iterator[str]:
    """A configuration with each of its tests by itself."""
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError:
        return
    tests = read.get("tests") if isinstance(read, dict) else None
    for test in tests if isinstance(tests, list) and len(tests) > 1 else []:
        yield yaml.safe_dump({**read, "tests": [test]}, sort_keys=False)


def conversion(text: str, path: Path) -> str:
    path.write_text(text, encoding="utf-8")
    try:
        made = converted(path)
    except NothingCarriedError as error:
        made = ConvertedConfiguration(f"# {error}", error.notes, 0, 0)
    except ConfigurationError as error:
        return shortened(str(error).replace(str(path.parent), "."))
    notes = "\n".join(f"{note.line}: {note.words}" for note in made.notes)
    return f"{made.cases}+{made.left_out} {len(made.notes)} {checksum(f'{made.text}{notes}'.replace(str(path.parent), '.'))}"
