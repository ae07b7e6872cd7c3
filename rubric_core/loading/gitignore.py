"""Files that git ignores: the patterns of every .gitignore from a repository's root down."""

from pathlib import Path

from rubric_core.disk import read_file
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.files import absolute
from rubric_core.loading.path_patterns import Patterns

__all__ = ["GITIGNORE", "above", "is_ignored", "within"]

GITIGNORE = ".gitignore"
#: Bytes. git has no limit; nobody writes as many patterns.
_LARGEST = 1_000_000
_KIND = pattern(r"\[:([a-z]+):\]")
_KINDS = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
    "space": " \t",
}


def is_ignored(levels: tuple[Patterns, ...], path: str, *, is_folder: bool) -> bool:
    """Whether git ignores `path`; of several levels the deepest matching one decides."""
    for patterns in reversed(levels):
        decision = patterns.decide(path, is_folder=is_folder)
        if decision is not None:
            return decision
    return False


def within(folder: str) -> tuple[Patterns, ...]:
    """The patterns of the .gitignore in `folder`, if there is one."""
    return _read(Path(folder) / GITIGNORE, folder)


def above(folder: str) -> tuple[Patterns, ...]:
    """The patterns from the root of the repository down to the parent of `folder`; none outside of a repository."""
    here = absolute(folder)
    outer = list(here.parents)
    root = next((n for n, each in enumerate([here, *outer]) if (each / ".git").exists()), None)
    if root is None:
        return ()
    top = [here, *outer][root]
    levels = _read(top / ".git" / "info" / "exclude", str(top))
    for each in reversed(outer[:root]):
        levels += within(str(each))
    # Whoever names an ignored folder wants to see its content.
    return () if is_ignored(levels, str(here), is_folder=True) else levels


def _read(file: Path, folder: str) -> tuple[Patterns, ...]:
    try:
        text = read_file(file, _LARGEST).decode("utf-8-sig", "replace")
    except OSError:
        return ()
    # Split as git does: a name may contain other line breaks.
    patterns = _usable(folder, [_plain(line.removesuffix("\r")) for line in text.split("\n")])
    return (patterns,) if patterns else ()


def _plain(line: str) -> str:
    """A pattern without character classes by name, which git supports and the library does not."""
    return _KIND.sub(lambda found: _KINDS.get(found[1], found[0]), line) if "[:" in line else line


def _usable(folder: str, lines: list[str]) -> Patterns:
    try:
        return Patterns(folder, lines)
    except ValueError:
        # git skips invalid patterns.
        return Patterns(folder, [line for line in lines if _is_pattern(folder, line)])


def _is_pattern(folder: str, line: str) -> bool:
    try:
        Patterns(folder, [line])
    except ValueError:
        return False
    return True
