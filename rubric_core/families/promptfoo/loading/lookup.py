"""Resolves the paths in a promptfoo configuration, or in a file that one names, to files, and reports missing files."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from rubric_core.cached_properties import cached_property
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.listed_entries import without_member
from rubric_core.families.promptfoo.loading.names_in_code import names_read
from rubric_core.families.promptfoo.loading.programs import Exported, ProgramTrouble, module_trouble, program_trouble
from rubric_core.families.promptfoo.loading.recognition import is_promptfoo_name, may_be_promptfoo_name
from rubric_core.families.promptfoo.loading.required_files import missing_file
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.block_references import OutsideText
from rubric_core.loading.case_files import CaseFileContents
from rubric_core.loading.directory_search import URL, directories_up, is_pattern
from rubric_core.loading.files import absolute
from rubric_core.loading.issues import Issue
from rubric_core.loading.outside_files import outside_file, repository_of
from rubric_core.loading.path_matches import path_matches
from rubric_core.loading.program_uses import ProgramRole, ProgramUse
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.reference_issues import BrokenProgram, MissingFile, ProgramText
from rubric_core.loading.secrets_read import secrets_read
from rubric_core.syntax.tree import Node, Scalar
from rubric_core.text import Span

__all__ = [
    "CODE_FILES",
    "MOST_READ",
    "OPEN_SIGNS",
    "PATHS_OF_OTHERS",
    "PromptfooLookup",
    "configuration_folder",
    "folders_with_configurations",
]

#: So many folders above a file may have the configuration.
_MOST_ABOVE = 5
#: More configurations in one folder are not read: it is a collection, and its files are found through them.
MOST_READ = 20


def folders_with_configurations(path: Path, look: TrackedLookup) -> Iterator[tuple[Path, list[str]]]:
    """The folders from that of a file upward that have configurations, with the names of these."""
    for folder in directories_up(path.parent, look)[: _MOST_ABOVE + 1]:
        named = [name for name in look.names(folder) if may_be_promptfoo_name(name) and folder / name != path]
        if named:
            yield folder, sorted(named)


def configuration_folder(path: Path, look: TrackedLookup) -> Path | None:
    """The folder of the configuration that names a file, or what leads to it; None where there is no configuration.

    Without one that has the name of the file, or that of its folder, it is the nearest.
    """
    nearest: Path | None = None
    for folder, names in folders_with_configurations(path, look):
        certain = [name for name in names if is_promptfoo_name(name)]
        if any(_mentions(look.text(folder / name) or "", path, folder) for name in (certain or names)[:MOST_READ]):
            return folder
        nearest = nearest or (folder if certain else None)
    return nearest


def _mentions(text: str, path: Path, folder: Path) -> bool:
    below = path.parent.relative_to(folder).parts
    return path.name in text or any(f"{name}/" in text for name in below)


#: The extensions of programs.
CODE_FILES = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".go")
#: Those whose text is checked.
_CHECKED = (".js", ".cjs", ".mjs", ".py")
#: Files with the environment of one person, which are hardly in a repository.
_IGNORED_BY_GIT = (".env", ".env.local")
#: Prefixes of paths that are not local files.
PATHS_OF_OTHERS = ("http://", "https://", "huggingface://", "az://", "s3://", "package:", "exec:")
#: A path with one of these is only known at run time.
OPEN_SIGNS = ("{{", "{%", "${")

#: A template that a prompt includes by name.
_INCLUDED = pattern(
    r"\{%-?[ \t]{0,9}(?:include|import|extends|from)[ \t]{1,9}([\"'])(?P<name>[^\"'\n]{1,200})\1(?![^%]{0,99}ignore missing)"
)


class PromptfooLookup:
    """Resolves the files of one block."""

    #: Whether the block is in a file that the configuration names, and not in the configuration.
    nested = False

    def __init__(self, look: TrackedLookup, base: Path) -> None:
        self.look = look
        self.base = base
        self.issues: list[Issue] = []
        self.outside: list[OutsideText] = []
        #: The paths of cases and scenarios, with their files.
        self.case_paths: list[tuple[Span, CaseFileContents, str]] = []
        self.files: dict[Path, FileKind] = {}
        #: See `BlockReferences`.
        self.secrets: list[tuple[Span, frozenset[str]]] = []
        self.called: set[ProgramUse] = set()
        #: The variables that programs read by name.
        self.read: set[str] = set()

    @cached_property
    def repository(self) -> Path | None:
        """The root of the configuration's repository."""
        return repository_of(self.base, self.look)

    def sent(
        self, node: Scalar, name: str, *, folders: bool = False, cases: bool = False, makes: bool = False
    ) -> tuple[Path, ...] | None:
        """See `paths`, for files whose text is sent; reported where one is outside of the repository.

        Args:
            node: Where they are named.
            name: Their path or pattern.
            folders: See `paths`.
            cases: See `secrets_read`.
            makes: Whether what a program gives is sent, with its templates filled in.
        """
        found = self.paths(name, folders=folders)
        read = [path for path in found or () if path.suffix not in CODE_FILES]
        issue = outside_file(node.span, name, read, self.repository, self.look) if read and self.repository else None
        if issue is not None:
            self.issues.append(issue)
        told = found or () if makes else read
        secrets = frozenset[str]().union(*(secrets_read(path, self.look, cases=cases) for path in told))
        if secrets:
            self.secrets.append((node.span, secrets))
        return found

    def paths(self, name: str, *, folders: bool = False) -> tuple[Path, ...] | None:
        """The files of a path or pattern; None if unknown, as for a folder if `folders` are read."""
        if any(sign in name for sign in OPEN_SIGNS):
            return None
        place = absolute(self.base / name)
        if self.look.is_file(place):
            return (place,)
        if is_pattern(name) or "{" in name:
            found = path_matches(name, (self.base,), self.look)
            return None if found.given_up or "{" in name else found.paths
        return None if folders and self.look.is_directory(place) else ()

    def relative(self, path: Path) -> str:
        """The path of a file as messages name it."""
        return Path(os.path.relpath(path, self.base)).as_posix()

    def missing(
        self, node: Scalar, name: str, consequence: str, *, severity: Literal["error", "warning", "hint"] = "error"
    ) -> None:
        """Report a missing file, or a folder in place of a file."""
        folder, slash, _ = name.rpartition("/")
        place = absolute(self.base / folder)
        names = self.look.names(place) if self.look.is_directory(place) else ()
        is_directory = self.look.is_directory(absolute(self.base / name))
        self.issues.append(
            MissingFile(
                span=node.span, node=node, name=name, severity=severity, consequence=consequence,
                is_directory=is_directory,
                # A configuration does not refer to configurations, often not even to itself.
                known=tuple(f"{folder}{slash}{each}" for each in names if not each.startswith("promptfooconfig.")),
            )
        )  # fmt: skip

    def needs(
        self,
        node: Node | None,
        consequence: str,
        *,
        bare: bool = False,
        warns: bool = False,
        folders: bool = False,
        cases: bool = False,
        makes: bool = False,
        calls: tuple[str, ...] = (),
        ruby: bool = False,
        exported: Exported | None = None,
        role: ProgramRole | None = None,
    ) -> tuple[Path, ...] | None:
        """The files that a word names which begins with `file://` or is `bare`; missing files are reported.

        `calls` are the functions one of which promptfoo calls in a Python file where none is named, and, where it calls
        `ruby`, in a Ruby file; `exported` is what a JavaScript module has to be; `role` is what it is called for.
        """
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or not (bare or node.text.startswith(URL)):
            return None
        name = without_member(node.text.removeprefix(URL).strip())
        found = (
            self.sent(node, name, folders=folders, cases=cases, makes=makes)
            if name and not name.startswith(PATHS_OF_OTHERS)
            else None
        )
        if found == ():
            self.missing(node, name, consequence, severity="warning" if warns else "error")
        self.program(node, name, found, consequence, calls, ruby=ruby, exported=exported, role=role)
        return found

    def program(
        self,
        node: Scalar,
        name: str,
        paths: tuple[Path, ...] | None,
        consequence: str,
        calls: tuple[str, ...] = (),
        methods: tuple[str, ...] = (),
        *,
        ruby: bool = False,
        exported: Exported | None = None,
        role: ProgramRole | None = None,
        settings: tuple[str, ...] = (),
    ) -> None:
        """Report a program that has no such function, or cannot be read.

        `calls`, `ruby`, `exported` and `role` are as for `needs`; `methods` are the same as `calls` for JavaScript.
        """
        if not paths or len(paths) > 1 or (paths[0].suffix == ".rb" and not ruby):
            return
        path, function = paths[0], _member(node.text, name).removeprefix(":")
        if "{{" in function:
            return
        usual = calls if path.suffix in (".py", ".rb") else methods
        trouble = self._trouble(path, function, usual, exported, role)
        called: tuple[ProgramUse, ...] = ()
        if path.suffix in _CHECKED:
            called = self._note_use(
                path, role, function or (calls[0] if calls and path.suffix == ".py" else ""), settings
            )
            is_checked = self.look.is_checked(path, PromptfooFile.PROGRAM, nested=self.nested)
            if is_checked or trouble is None:
                self.files.setdefault(path, PromptfooFile.PROGRAM)
            if is_checked and (trouble is None or trouble.is_unreadable):
                return  # reported in the file
        if trouble is not None:
            if trouble.is_value and role == "prompt":
                consequence = ROW_ERRORS  # it is called for each row
            self.issues.append(
                BrokenProgram(
                    span=node.span, node=node, name=name, trouble=trouble.words, function=function, meant=trouble.meant,
                    consequence=consequence,
                )
            )  # fmt: skip
        elif path.suffix in _CHECKED and (text := self.look.text(path)) is not None:
            self.issues.append(
                ProgramText(span=node.span, name=name, text=text, consequence=consequence, called=called)
            )

    def _note_use(
        self, path: Path, role: ProgramRole | None, function: str, settings: tuple[str, ...]
    ) -> tuple[ProgramUse, ...]:
        """Note what is called in a program, and the variables that it reads. Returns the call; nothing without a role."""
        called = (ProgramUse(path, role, function, settings),) if role is not None else ()
        self.called.update(called)
        self.read |= self._names_read(path)
        return called

    def _names_read(self, path: Path) -> frozenset[str]:
        """The variables that a program reads by name."""

        def find(files: TrackedLookup) -> frozenset[str]:
            return frozenset(each.name for each in names_read(files.text(path) or "") if not each.is_own)

        return self.look.answer(("promptfoo names read", path), find)

    def _trouble(
        self, path: Path, function: str, usual: tuple[str, ...], exported: Exported | None, role: ProgramRole | None
    ) -> ProgramTrouble | None:
        """Why promptfoo cannot call a function of a program, or one of the usual ones if none is named."""
        found = program_trouble(path, (function,) if function else usual, self.look, role)
        if found is None and exported is not None and not function:
            found = module_trouble(path, exported, self.look)
        return found or self._unloaded(path)

    def _unloaded(self, path: Path) -> ProgramTrouble | None:
        """A file that a program in JavaScript loads, and that does not exist."""
        name = self.look.answer(
            ("promptfoo loaded files", path), lambda files: missing_file(path, files.text(path) or "", files)
        )
        return ProgramTrouble(f"loads `{name}`, which does not exist") if name else None

    def environment(self, node: Scalar) -> None:
        """The files with environment variables; a `.env` is often not in the repository, and is no error."""
        for name in filter(None, map(str.strip, node.text.split(","))):
            if self.paths(name) == () and not self.look.is_directory(absolute(self.base / name)):
                called = name.rpartition("/")[2]
                if called in _IGNORED_BY_GIT:
                    self.missing(node, name, STOPS, severity="hint")
                    continue
                self.missing(node, name, STOPS, severity="warning" if called.startswith(".env") else "error")

    def included(self, node: Node | None) -> None:
        """The files that a prompt includes, relative to the folder of the run: that of the configuration, or a parent."""
        if isinstance(node, Scalar):
            self.included_in(node.text, node)

    def included_in(self, text: str, at: Scalar) -> None:
        """The same of a text that is in another file, which `at` names."""
        if "{%" not in text:
            return
        around = [self.base, *(each for each in self.base.parents if self._is_inside(each))]
        for found in _INCLUDED.finditer(text):
            name = found["name"]
            if "{{" not in name and not any(self.look.is_file(absolute(each / name)) for each in around):
                self.missing(at, name, ROW_ERRORS)

    def _is_inside(self, folder: Path) -> bool:
        return self.repository is not None and (folder == self.repository or self.repository in folder.parents)


def _member(text: str, name: str) -> str:
    """What follows the name of a file."""
    return text.strip().removeprefix(name) if text.startswith(name) else text.strip().partition(name)[2]
