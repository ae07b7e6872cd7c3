"""Resolves the files that a promptfoo configuration names: whether they exist, and their prompts and cases.

Paths are relative to the directory of the configuration. The effect of a missing file depends on the place.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, CaseSource, PromptfooCase, PromptfooScenario
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt
from rubric_core.families.promptfoo.language.consequences import NO_FILTER, ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.graded_assertions import (
    JavaScriptCode,
    MaxScore,
    PythonCode,
    RubyCode,
    SelectBest,
)
from rubric_core.families.promptfoo.language.listed_entries import without_member
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions
from rubric_core.families.promptfoo.language.text_assertions import ContainsJson, IsJson
from rubric_core.families.promptfoo.loading.case_files import DATA, kind_of_prompt, variables_in_file
from rubric_core.families.promptfoo.loading.programs import TRANSFORMS, called_in
from rubric_core.families.promptfoo.loading.prompt_places import PromptPlaces
from rubric_core.language.shape import FieldPlace, Shape, children
from rubric_core.loading.block_references import NO_NAMES, BlockReferences, OutsideText
from rubric_core.loading.directory_search import URL
from rubric_core.loading.program_uses import ProgramRole
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.reference_issues import (
    MissingFile,
    PointerIntoFile,
)
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, mappings_in, walk

__all__ = ["look_up_configuration"]

_FAILS = "the assertion fails on every output"
_NO_VARS = "promptfoo runs the case without these variables"
#: Assertions of which promptfoo runs the file under `value`.
_CODE = (JavaScriptCode, PythonCode)
#: Others that take the result of code, or compare outputs once all are there.
_NOT_CALLED = (RubyCode, SelectBest, MaxScore)
#: Fields of assertions, cases and options that are a file if they begin with `file://`.
_FILE_FIELDS = ("value", "rubric_prompt", "transform", "context_transform", "transform_vars", "postprocess", "scoring")


class _Places(PromptPlaces):
    """The places of files in a configuration.

    Args:
        look: The files.
        base: The directory of the configuration.
        inlined_from: The directory of the text, if it is a file in which `file://` means the content of the file.
    """

    #: See `look_up_configuration`.
    is_of_list = False

    def __init__(self, look: TrackedLookup, base: Path, inlined_from: Path | None = None) -> None:
        super().__init__(look, base)
        self._inlined_from = inlined_from

    def case(self, shape: PromptfooCase) -> None:
        """The files of one case."""
        place = shape.places.get("vars")
        node = place.node if place is not None and not place.borrowed else None
        if isinstance(node, Mapping):
            for entry in node.entries:
                values = entry.value.items if isinstance(entry.value, Sequence) else [entry.value]
                for value in values:
                    self.needs(value, STOPS, makes=True, calls=("get_var",), role="variable")
        elif node is not None:
            for value in node.items if isinstance(node, Sequence) else [node]:
                if (
                    isinstance(value, Scalar)
                    and value.text.endswith((".yaml", ".yml", ".json"))
                    and not value.text.startswith(URL)
                ):
                    self._variables_file(value)
        if self._inlined_from is not None:
            for each in _paths_in(shape.places.get("assertions")):
                self.needs(each, STOPS)
        own = shape.places["provider"] if shape.has("provider") else None
        if own is not None:
            self.provider(own.node.get("id") if isinstance(own.node, Mapping) and not own.borrowed else own.node)

    def _variables_file(self, node: Scalar) -> None:
        """A file under `vars`, whose path is relative to the file of the case."""
        base, self.base = self.base, self._inlined_from or self.base
        found = self.needs(node, _NO_VARS, bare=True, warns=True)
        self.base = base
        self.files.update(dict.fromkeys(found or (), PromptfooFile.VARS))
        known = [variables_in_file(path, self.look) for path in found or ()]
        names = frozenset[str]().union(*(each for each in known if each is not None))
        self.outside.append(OutsideText("vars", node, names=names if found is not None and None not in known else None))

    def reference(self, node: Node | None) -> None:
        """The file of a `$ref`; empty for the configuration itself."""
        if isinstance(node, Scalar) and isinstance(node.value, str) and "://" not in node.text:
            name, sign, pointer = node.text.partition("#")
            if not name and sign and self.is_of_list and pointer[:1] == "/" and not pointer[1:2].isdecimal():
                self.issues.append(PointerIntoFile(span=node.span, node=node, text="[]"))
            found = self.paths(name) if name else None
            if found == ():
                self.missing(node, name, STOPS)
            elif found and sign and found[0].suffix.lower() in DATA and (text := self.look.text(found[0])) is not None:
                self.issues.append(PointerIntoFile(span=node.span, node=node, text=text))

    def borrowed(self, shape: Assertion) -> None:
        """The files of an assertion that is written elsewhere: reported at the reference, as others are."""
        for field in _FILE_FIELDS:
            node = shape.places[field].node if shape.has(field) else None
            if isinstance(node, Scalar) and isinstance(node.value, str) and node.text.startswith(URL):
                name = without_member(node.text.removeprefix(URL).strip())
                if self.paths(name) == ():
                    self.issues.append(
                        MissingFile(span=shape.span, borrowed=True, node=node, name=name, consequence=ROW_ERRORS)
                    )

    def fields(self, shape: Shape) -> None:
        """Fields that are a file if they begin with `file://`."""
        for field in _FILE_FIELDS:
            place = shape.places.get(field)
            if place is None or place.borrowed:
                continue
            text = place.node.text if isinstance(place.node, Scalar) else ""
            fails = field == "value" and without_member(text).endswith((".py", ".rb"))
            consequence = STOPS if field == "scoring" else _FAILS if fails else ROW_ERRORS
            if self._inlined_from is not None and not (field == "value" and isinstance(shape, _CODE)):
                consequence = STOPS
            if field == "rubric_prompt":
                self._judge_prompts(place.node, consequence, called_in(shape, field))
                continue
            found = self.needs(
                place.node, consequence, calls=called_in(shape, field), ruby=field == "value", exported="function",
                role=_role(shape, field),
            )  # fmt: skip
            if field == "value" and isinstance(shape, IsJson | ContainsJson):
                schemas = (path for path in found or () if path.suffix.lower() in DATA)
                self.files.update(dict.fromkeys(schemas, PromptfooFile.SCHEMA))

    def _judge_prompts(self, prompt: Node, consequence: str, calls: tuple[str, ...]) -> None:
        """The files of a `rubricPrompt`: one, several, or the contents of messages, of which nothing more is known."""
        has_messages = isinstance(prompt, Sequence) and any(isinstance(item, Mapping) for item in prompt.items)
        for node in walk(prompt):
            for path in (self.needs(node, consequence, calls=calls) if isinstance(node, Scalar) else None) or ():
                kind = kind_of_prompt(path, of_judges=True) if not has_messages else None
                if kind is not None:
                    self.files.setdefault(path, kind)
                if kind is None or not self.look.is_checked(path, kind, nested=self.nested):
                    self._prompt_texts(node, [path], of_judges=True)


def look_up_configuration(
    shapes: tuple[Shape, ...],
    root: Node | None,
    look: TrackedLookup,
    base: Path,
    *,
    kept: tuple[Shape, ...] = (),
    is_told: Callable[[Shape], bool] = lambda _: False,
    inlined_from: Path | None = None,
    nested: bool = False,
    is_of_list: bool = False,
) -> BlockReferences:
    """Resolve the files of one block of a configuration.

    Args:
        shapes: The outermost shapes of the block.
        root: The root of its tree, for paths among the cases.
        look: The files.
        base: The directory of the configuration.
        kept: The blocks that are kept for references only.
        is_told: Whether the files of a shape with references are resolved where it is written.
        inlined_from: See `_Places`.
        nested: See `PromptfooLookup`.
        is_of_list: Whether the text is a list of cases, so that pointers into it begin with a number.
    """
    found = _Places(look, base, inlined_from)
    found.nested, found.is_of_list = nested, is_of_list
    _collect_pointers(found, shapes, root)
    for shape in (inner for outer in (*shapes, *kept) for inner in children(outer)):
        if not shape.borrowed:
            _collect_from_shape(found, shape)
        elif isinstance(shape, Assertion) and not is_told(shape):
            found.borrowed(shape)
    for item in root.items if isinstance(root, Sequence) else ():
        found.cases(item, listed=True)
    return BlockReferences(
        tuple(found.issues),
        tuple(found.case_paths),
        tuple(found.files.items()),
        frozenset(look.seen),
        outside=tuple(found.outside),
        secrets=tuple(found.secrets),
        called=frozenset(found.called),
        read=frozenset(found.read) or NO_NAMES,
    )


def _collect_pointers(found: _Places, shapes: tuple[Shape, ...], root: Node | None) -> None:
    for node in (inner for outer in shapes for inner in mappings_in(outer.node)):
        found.reference(node.get("$ref"))
    whole = {id(outer.node) for outer in shapes}
    for item in root.items if isinstance(root, Sequence) else ():
        if isinstance(item, Mapping) and id(item) not in whole:  # a case that is written elsewhere
            found.reference(item.get("$ref"))


def _role(shape: Shape, field: str) -> ProgramRole | None:
    """What a program in a field is called for."""
    if field == "value":
        if isinstance(shape, Assertion) and not isinstance(shape, (*_CODE, *_NOT_CALLED)):
            node = shape.places[field].node
            is_javascript = isinstance(node, Scalar) and node.text.endswith((".js", ".cjs", ".mjs"))
            return "value" if is_javascript else None
        return "assertion" if isinstance(shape, _CODE) else None
    if field == "transform_vars":
        return "variables"
    return "scoring" if field == "scoring" else "transform" if field in TRANSFORMS else None


def _collect_from_shape(found: _Places, shape: Shape) -> None:
    if isinstance(shape, Configuration):
        _collect_from_configuration(found, shape)
    elif isinstance(shape, ConfiguredPrompt):
        found.prompt(shape)
    elif isinstance(shape, ConfiguredProvider):
        found.configured(shape)
        found.settings(shape)
        found.fields(shape)
    elif isinstance(shape, CaseSource):
        found.cases(shape.places["path"].node if shape.has("path") else None, listed=True, rows=True)
    elif isinstance(shape, PromptfooCase):
        found.case(shape)
        found.fields(shape)
    elif isinstance(shape, CommandLineOptions):
        for node in _paths_in(shape.places.get("env_path")):
            found.environment(node)
    elif isinstance(shape, PromptfooScenario):
        for node in _paths_in(shape.places.get("tests")):
            found.cases(node, listed=False)
    elif isinstance(shape, Assertion | CaseOptions):
        found.grader(shape)
        found.fields(shape)


def _collect_from_configuration(found: _Places, shape: Configuration) -> None:
    places = {name: place for name, place in shape.places.items() if not place.borrowed}
    if "prompts" in places:
        found.prompts(places["prompts"])
    for field in ("providers", "targets"):
        if field in places:
            found.providers(places[field])
    for field in ("default_test", "scenarios"):
        if field in places:
            found.defaults(places[field], field)
    tests = places.get("tests")
    for node in _paths_in(tests):
        found.cases(node, listed=tests is not None and node is not tests.node)
    filters = places.get("nunjucks_filters")
    if filters is not None and isinstance(filters.node, Mapping):
        for entry in filters.node.entries:
            found.needs(
                entry.value,
                NO_FILTER,
                bare=True,
                warns=True,
                exported="function",
            )
    extensions = places.get("extensions")
    for node in _paths_in(extensions):
        found.needs(node, STOPS, exported="hook")


def _paths_in(place: FieldPlace | None) -> Iterator[Scalar]:
    """The words in place of a list, or in it."""
    if place is None:
        return
    for node in place.node.items if isinstance(place.node, Sequence) else [place.node]:
        if isinstance(node, Scalar) and isinstance(node.value, str):
            yield node
