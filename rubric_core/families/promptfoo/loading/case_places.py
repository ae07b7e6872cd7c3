"""The places of case files, defaults and scenarios in a promptfoo configuration."""

from pathlib import Path

from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.listed_entries import without_member
from rubric_core.families.promptfoo.loading.case_files import (
    case_file_trouble,
    counted_names,
    has_no_case,
    kind_of_cases,
    nested_files,
    variables_in_cases,
    words_in,
)
from rubric_core.families.promptfoo.loading.lookup import CODE_FILES, PATHS_OF_OTHERS
from rubric_core.families.promptfoo.loading.provider_places import ProviderPlaces
from rubric_core.language.shape import FieldPlace
from rubric_core.loading.block_references import OutsideText
from rubric_core.loading.case_files import CaseFileContents
from rubric_core.loading.directory_search import URL
from rubric_core.loading.files import absolute
from rubric_core.loading.reference_issues import BrokenCases, EmptyFile
from rubric_core.syntax.tree import Node, Scalar, Sequence

__all__ = ["CasePlaces"]

_EMPTY_CASE = "promptfoo runs no case from here; without any other it runs one empty case, which passes"
_TABLES = (".csv", ".json", ".jsonl", ".xlsx", ".xls")
_CASE_FILES = (".yaml", ".yml", *_TABLES, *CODE_FILES)


class CasePlaces(ProviderPlaces):
    """Resolves the files of cases, `defaultTest` and scenarios."""

    def cases(self, node: Node | None, *, listed: bool, rows: bool = False) -> None:
        """A path for cases; with `rows`, YAML and JSON are flat rows of variables, as tables are."""
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.text.strip():
            return
        name = without_member(node.text.removeprefix(URL).partition("#")[0])
        if name.startswith(PATHS_OF_OTHERS) or name.endswith(CODE_FILES):
            made = self.needs(
                node, STOPS if name.endswith(CODE_FILES) else "", bare=True, makes=True, calls=("generate_tests",)
            )
            self._included(node, made)
            self.outside.append(OutsideText("cases", node))
            return
        found = self.sent(node, name, cases=True)
        if found == ():
            self._included(node, found)
            self.missing(node, name, self._without_cases(name, listed=listed))
        elif found and not all(path.name.lower().endswith(_CASE_FILES) for path in found):
            told = f"promptfoo reads no cases from {found[0].suffix or 'such'} files"
            self._included(node, found, told)
            self._broken(node, name, told)
        else:
            self._case_files(node, name, found, rows=rows, listed=listed)

    def _included(self, node: Scalar, files: tuple[Path, ...] | None, trouble: str = "") -> None:
        contents = CaseFileContents(complete=False, trouble=trouble, files=files or (), missing=files == ())
        self.case_paths.append((node.span, contents, node.text))

    def _broken(self, node: Scalar, name: str, trouble: str) -> None:
        effect = "promptfoo stops, or runs none of them"
        self.issues.append(BrokenCases(span=node.span, node=node, name=name, trouble=trouble, consequence=effect))

    def _without_cases(self, name: str, *, listed: bool) -> str:
        """The effect in promptfoo of a path for cases without a file."""
        if self.look.is_directory(absolute(self.base / name)):
            return STOPS if listed or name.endswith(_CASE_FILES) else _EMPTY_CASE
        loud = not listed and name.endswith(_TABLES)
        return STOPS if loud else "promptfoo logs it and" + _EMPTY_CASE.removeprefix("promptfoo")

    def _case_files(self, node: Scalar, name: str, found: tuple[Path, ...] | None, *, rows: bool, listed: bool) -> None:
        known: frozenset[str] | None = frozenset()
        words: frozenset[str] = frozenset()
        troubles: list[str] = []
        for path in found or ():
            words |= words_in(path, self.look)
            if rows and path.suffix.lower() != ".csv":
                known = None
                continue
            text = self.look.text(path)
            kind = kind_of_cases(path)
            if kind is not None:
                self.files[path] = kind
                self.files.update(nested_files(path, self.base, self.look, of_cases=True))
            names = variables_in_cases(path, self.look) if text is not None else None
            known = None if names is None or known is None else known | names
            trouble = case_file_trouble(path, self.look, listed=listed) if text is not None else ""
            if trouble:
                self._broken(node, name, trouble)
                known = None
                troubles.append(trouble)
        self._included(node, found, "; ".join(troubles))
        if len(found or ()) == 1 and not rows:
            self._without_case(node, (found or ())[0])
        names = known if found is not None else None
        counted = counted_names(found, self.look) if names and found else None
        self.outside.append(OutsideText("cases", node, names=names, words=words, counted=counted))

    def _without_case(self, node: Scalar, path: Path) -> None:
        text = self.look.text(path)
        if text is not None and has_no_case(path, text):
            name = self.relative(path)
            self.issues.append(
                EmptyFile(span=node.span, name=name, what="case", consequence=_EMPTY_CASE.partition(", which")[0])
            )

    def defaults(self, place: FieldPlace, what: str) -> None:
        """`defaultTest` or scenarios in other files."""
        nodes = place.node.items if isinstance(place.node, Sequence) else [place.node]
        for node in nodes:
            if isinstance(node, Scalar) and isinstance(node.value, str):
                found = self.needs(node, STOPS, bare=what == "default_test", cases=True)
                if what == "scenarios":
                    self._included(node, found)
                self._defaults_files(node, found, what)

    def _defaults_files(self, node: Node, found: tuple[Path, ...] | None, what: str) -> None:
        kind = PromptfooFile.DEFAULTS if what == "default_test" else PromptfooFile.SCENARIOS
        known: frozenset[str] | None = frozenset() if found else None
        words: frozenset[str] = frozenset()
        for path in found or ():
            if path.suffix.lower() in (".yaml", ".yml", ".json"):
                self.files[path] = kind
                named = nested_files(path, self.base, self.look, of_cases=False)
                self.files.update(named)
                for each in (file for file, nested in named.items() if nested is PromptfooFile.CASES):
                    self.files.update(nested_files(each, self.base, self.look, of_cases=True))
            names = variables_in_cases(path, self.look)
            known = None if names is None or known is None else known | names
            words |= words_in(path, self.look)
        self.outside.append(OutsideText("defaults", node, names=known, words=words))
