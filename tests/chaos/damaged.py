"""Damaged inputs, in this process: check, fix, format and migrate raise nothing, end soon, and leave no text worse.

An input is a real text that was cut off, bit-flipped, spliced with another, had lines moved or repeated or pieces put in, and
is decoded as the command line does it.
"""

import random
import time
from pathlib import PurePath

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.disk import DiskFiles
from rubric_core.fixing import apply_safe_fixes
from rubric_core.formatting import format_edits, obstacle
from rubric_core.formatting.meaning import same_trees
from rubric_core.loading.files import UnreadableError, decoded
from rubric_core.loading.project import Project
from rubric_core.migration import NotMigratableError, migrate
from rubric_core.syntax.parse import parse
from rubric_core.text import apply_edits

from .tally import Setting, Tally
from .texts import texts

__all__ = ["damage", "run"]

_PIECES = (
    b"\x00", b"\t", b"\xff", b"\xed\xa0\x80", b"*", b"&a ", b"<<: ", b"!!python/object:os.system ", b"? ", b": ", b"{", b"[", b"'", b'"', b"|", b">", b"%",
    b"---\n", b"...\n", b"@", b"`", b"\r", "\u2028".encode(), "\u0085".encode(), "\ufeff".encode(), "😀".encode(), "\u202e".encode(), b"{{", b"}}", b"${{",
    b"0x", b"1e999", b"-.inf", b"2001-01-01", b"~", b"#",
)  # fmt: skip
_ODD = ("\ud800", "\udfff", "e\u0301", "\u202e", "\u2029", "\x0b", "\x1c", "👩‍👩‍👧", "\U0010ffff", "\ufffe")
#: Seconds of CPU for 100,000 characters, and for less. What takes longer hangs an editor.
_SLOW = 5.0
_NEWEST = "agentv-5"


def run(setting: Setting, tally: Tally) -> None:
    """Look at so many inputs."""
    rng, language = setting.random("damaged"), Language()
    suites = [
        (name, content) for name, content in texts() if ".eval." in name or "dataset" in name or "targets" in name
    ]
    for _ in range(setting.of(150, 6_000)):
        name, content = rng.choice(suites if rng.random() < 0.7 else texts())
        data = damage(content, rng.choice(texts())[1], rng)
        try:
            text = decoded(data, name)
        except UnreadableError:
            tally.count("refused")
            text = data.decode("utf-8", "replace")
        tally.count("inputs")
        begun = time.process_time()
        with tally.no_exception(f"{name}, damaged", text=text):
            _look(text, name, language, rng, tally)
        took = time.process_time() - begun
        tally.most("ms at most", took * 1_000)
        if took > _SLOW * max(1.0, len(text) / 100_000):
            tally.fault(f"{name}, damaged: {took:.1f} s of CPU for {len(text):,} characters", text=text)


def _look(text: str, name: str, language: Language, rng: random.Random, tally: Tally) -> None:
    path = PurePath("/chaos", name)
    project = Project(DiskFiles()) if rng.random() < 0.2 else None
    analysis = analyze(language.document(text, path), language, path=path, project=project)
    tally.count("findings", len(analysis.diagnostics))
    how = rng.randrange(3)
    if how == 0:
        _fix(analysis, tally)
    elif how == 1:
        _format(analysis, language, path, tally)
    else:
        _migrate(text, analysis, tally)


def _fix(analysis: Analysis, tally: Tally) -> None:
    text, done = analysis.document.text, apply_safe_fixes(analysis)
    new = done.analysis.document.text
    tally.count("fixed", done.count)
    if new != text:
        worse = len(parse(new).problems) - len(parse(text).problems)
        tally.expect(worse <= 0, f"fixing brings {worse} syntax errors", text=text, new=new)
        tally.expect(
            apply_safe_fixes(done.analysis).analysis.document.text == new,
            "fixing again changes more",
            text=text,
            new=new,
        )


def _format(analysis: Analysis, language: Language, path: PurePath, tally: Tally) -> None:
    text = analysis.document.text
    edits = format_edits(analysis)
    if not edits:
        return
    new = apply_edits(text, edits)
    tally.count("formatted")
    tally.expect(obstacle(analysis) is None, "what cannot be read is formatted", text=text, new=new)
    tally.expect(same_trees(parse(text), parse(new)), "formatting changes what is meant", text=text, new=new)
    again = format_edits(analyze(language.document(new, path), language, path=path))
    tally.expect(apply_edits(new, again) == new, "formatting again changes more", text=text, new=new)


def _migrate(text: str, analysis: Analysis, tally: Tally) -> None:
    if analysis.dialect.name == _NEWEST or analysis.kind.dialect:  # `rubric migrate` leaves those alone
        return
    try:
        made = migrate(text, analysis.dialect.name, _NEWEST)
    except NotMigratableError:
        tally.count("not migratable")
        return
    tally.count("migrated")
    tally.expect(not parse(made.text).problems, "a migrated text cannot be read", text=text, new=made.text)


def damage(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """One of the ways in which files break."""
    length, at = len(data), rng.randint(0, len(data))
    how = rng.choice(
        ("cut", "cut", "flip", "flip", "splice", "lines", "insert", "join", "delete", "repeat", "character")
    )
    if how == "cut":
        return data[:at]
    if how == "flip":
        flipped = bytearray(data)
        for _ in range(rng.choice((1, 1, 3, 10, 100)) if data else 0):
            flipped[rng.randrange(length)] ^= 1 << rng.randrange(8)
        return bytes(flipped)
    if how == "splice":
        return data[:at] + other[rng.randint(0, len(other)) :]
    if how == "insert":
        return data[:at] + rng.choice(_PIECES) * rng.choice((1, 1, 2, 50)) + data[at:]
    if how == "join":
        return data + other
    if how == "delete":
        return data[:at] + data[at + rng.choice((1, 2, 5, 50)) :]
    if how == "character":
        return data[:at] + rng.choice(_ODD).encode("utf-8", "surrogatepass") + data[at:]
    return b"\n".join(_lines(data.split(b"\n"), how, rng))


def _lines(lines: list[bytes], how: str, rng: random.Random) -> list[bytes]:
    if how == "repeat":
        first = rng.randrange(len(lines))
        last = min(len(lines), first + rng.randint(1, 20))
        return [*lines[:last], *lines[first:last] * rng.choice((1, 2, 5)), *lines[last:]]
    for _ in range(rng.randint(1, 6)):
        one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[one], lines[two] = lines[two], lines[one]
    return lines
