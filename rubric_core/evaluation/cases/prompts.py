"""Prompts of a suite: texts, messages, files, programs; and the case with one of them filled in as its input."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rubric_core.evaluation.cases.variant import Prompt
from rubric_core.evaluation.code.commands import ProgramError, argv_of, command_words, json_input, program_output
from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.templating.interpolate import Interpolation, node_of
from rubric_core.evaluation.templating.nunjucks import render_off_loop
from rubric_core.language.file_extensions import YAML
from rubric_core.language.model import INPUT, OUTPUT, Case
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL, current_directory, find_file, is_pattern
from rubric_core.loading.lower import Lowering
from rubric_core.loading.path_matches import TOO_MANY_FOLDERS, path_matches
from rubric_core.ports import Ports, Program
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Alias, Node, Scalar
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Span

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable

__all__ = ["case_input", "program_of", "prompt_text", "prompts_of"]

_LARGEST = 1_000_000
_OUTPUT_LIMIT = 5_000_000
_FUNCTION = re.compile(r"\.(?:py|js|mjs|cjs)(?::[\w$.]+)?\Z")
_NAMES = ("label", "id")


def prompts_of(case: "Runnable") -> list[Prompt]:
    """The prompts of a case: its own, those of the default test, or those of the suite, of which it may select some."""
    suite = _listed(case.suite, case.suite_anchors)
    defaults = _listed(case.defaults, case.suite_anchors) if case.defaults is not None else []
    chosen = _chosen(_listed(case.case, case.anchors, own=True), suite) or _chosen(defaults, suite) or suite
    return [each for prompt in chosen for each in _files(prompt, case)]


def _listed(shape: Shape, anchors: Mapping[str, Node], *, own: bool = False) -> list[Prompt]:
    place = shape.places.get("prompts")
    node = _followed(place.node, anchors) if place is not None else None
    items = node.items if isinstance(node, SequenceNode) else [node] if node is not None else []
    if items and all(_is_message(item, anchors) for item in items):
        items = [node] if node is not None else []
    found = [_followed(item, anchors) for item in items]
    return [Prompt(_label(item, number), item, own) for number, item in enumerate(found, start=1) if item is not None]


def _followed(node: Node, anchors: Mapping[str, Node]) -> Node:
    return (node.target or anchors.get(node.name) or node) if isinstance(node, Alias) else node


def _is_message(node: Node, anchors: Mapping[str, Node]) -> bool:
    node = _followed(node, anchors)
    return isinstance(node, MappingNode) and node.get("role") is not None


def _label(node: Node, number: int) -> str:
    names = (node.get(name) for name in _NAMES) if isinstance(node, MappingNode) else ()
    found = next((n.text for n in names if isinstance(n, Scalar) and n.text), "")
    return re.sub(r"[\[\],]", " ", found).strip() or f"prompt-{number}"


def _chosen(named: Sequence[Prompt], suite: Sequence[Prompt]) -> list[Prompt]:
    """The prompts of the suite that a case selects by label, or its own prompts."""
    known = {prompt.label: prompt for prompt in suite}
    return [known.get(p.node.text, p) if isinstance(p.node, Scalar) else p for p in named]


def _files(prompt: Prompt, case: "Runnable") -> Iterator[Prompt]:
    """The prompt, or one prompt for each file that its pattern matches."""
    text = prompt.node.text if isinstance(prompt.node, Scalar) else ""
    name = text.removeprefix(URL)
    if not text.startswith(URL) or not is_pattern(name):
        yield prompt
        return
    paths = path_matches(name, [case.directory], case.files).paths
    for path in paths:
        node = Scalar(prompt.node.span, prompt.node.whole, None, None, f"{URL}{path}", "double")
        yield replace(prompt, label=path.stem, node=node)
    if not paths:
        yield prompt


async def case_input(case: "Runnable", ports: Ports) -> "Runnable":
    """The case with its prompt as `input`, and `vars.expected_output` as its expected output. Raises Unscored."""
    prompt = case.variant.prompt if case.variant is not None else None
    if prompt is None:
        return case
    made = _copied(case.case)
    filling = _Filling(case, prompt, ports)
    vars(made)["input"] = await filling.input()
    expected = case.variables.get("expected_output")
    if expected is not None:
        node = node_of(expected, prompt.node)
        vars(made)["expected_output"] = filling.lowering.value(OUTPUT, node, "expected_output")
    return replace(case, case=made)


def program_of(prompt: Prompt, case: "Runnable") -> str:
    """The program or function that generates a prompt, for people; empty for a literal prompt."""
    written = plain(prompt.node, case.anchors if prompt.own else case.suite_anchors)
    if isinstance(written, dict):
        command = written.get("command")
        if command:
            return command_words(command if isinstance(command, str) else [str(word) for word in command])
        written = next(
            (written[n] for n in ("function_file", "path", "file", "id") if isinstance(written.get(n), str)), ""
        )
    named = isinstance(written, str) and _FUNCTION.search(written)
    return str(written).removeprefix(URL) if named else ""


def prompt_text(case: "Runnable", environment: Mapping[str, str]) -> str:
    """The prompt of a variation for people: filled in if that runs no program, else how it is generated. Raises Unscored."""
    prompt = case.variant.prompt if case.variant is not None else None
    if prompt is None:
        return ""
    node = _written_prompt(prompt.node) if isinstance(prompt.node, MappingNode) else prompt.node
    place = case.case_place if prompt.own else case.suite_place
    anchors = case.anchors if prompt.own else case.suite_anchors
    shown = plain(
        Interpolation(
            case.dialect,
            environment,
            case.variables,
            place,
            anchors,
            case.sandbox,
            empties=bool(case.dialect.properties.emptied_keys),
        ).node(node or prompt.node),
        anchors,
    )
    messages = [m for m in shown if isinstance(m, dict)] if isinstance(shown, list) else []
    if messages:
        return "\n\n".join(f"[{m.get('role')}]\n{m.get('content')}" for m in messages)
    return shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)


def _written_prompt(node: MappingNode) -> Node | None:
    """The template or the messages of a prompt that is a mapping."""
    return next((found for name in ("messages", "prompt", "raw") if (found := node.get(name)) is not None), None)


def _copied(case: Case) -> Case:
    made = Case(case.span, case.node, **{k: v for k, v in vars(case).items() if k not in ("span", "node", "places")})
    made.places = dict(case.places)
    return made


class _Filling:
    """Builds the input of a case from its prompt."""

    def __init__(self, case: "Runnable", prompt: Prompt, ports: Ports) -> None:
        self.case, self.prompt, self.ports = case, prompt, ports
        #: The file that the prompt was read from, if any.
        self.file = ""
        text = case.text if prompt.own else case.suite_text
        anchors = case.anchors if prompt.own else case.suite_anchors
        self.anchors = anchors
        self.lowering = Lowering(text, case.dialect, case.dialects, anchors)
        self.filling = Interpolation(
            case.dialect, ports.environment, case.variables, self._place, anchors, ports.sandbox, case.filters,
            empties=bool(case.dialect.properties.emptied_keys),
        )  # fmt: skip

    def _line(self, span: Span) -> int:
        return self.case.case_line(span) if self.prompt.own else self.case.suite_line(span)

    def _place(self, span: Span) -> str:
        place = self.case.case_place(span) if self.prompt.own else self.case.suite_place(span)
        return f"{self.file}, {place}" if self.file else place

    def _trouble(self, words: str) -> Unscored:
        return Unscored(f"{words} (line {self._line(self.prompt.node.span)})")

    async def input(self) -> Any:
        """The filled-in prompt: a text, or a list of messages. Raises Unscored."""
        node = self.prompt.node
        if isinstance(node, MappingNode) and node.get("role") is None:
            node = await self._expanded_mapping(node)
        elif isinstance(node, Scalar) and node.text.startswith(URL):
            node = await self._file_text(node.text)
        written = _messages_in(node)
        filled = _messages_in(await render_off_loop(self.case.dialect, self.ports, lambda: self.filling.node(written)))
        if isinstance(filled, MappingNode):
            listed = SequenceNode(filled.span, filled.whole, None, None, flow=True)
            listed.items = [filled]
            filled = listed
        if isinstance(filled, Scalar) and not isinstance(filled.value, str):
            filled = Scalar(filled.span, filled.whole, None, None, filled.text, "double")
        value = self.lowering.value(INPUT, filled, "prompts")
        if not isinstance(value, str | list):
            raise self._trouble("the prompt is neither a string nor a list of messages")
        return value

    async def _expanded_mapping(self, node: MappingNode) -> Node:
        """The prompt of a mapping: raw text, a file, a program, or a function."""
        written = plain(node, self.anchors)
        if "command" in written:
            return await self._program_text(written)
        path = next((written[n] for n in ("function_file", "path", "file") if isinstance(written.get(n), str)), None)
        function = written.get("function")
        raw = _written_prompt(node)
        if raw is None and path is None and isinstance(written.get("id"), str) and written["id"].startswith(URL):
            path = written["id"]
        if path is not None:
            name = f"{URL}{path.removeprefix(URL)}"
            found = await self._file_text(f"{name}:{function}" if isinstance(function, str) and function else name)
        elif raw is not None:
            found = raw
        else:
            raise self._trouble("the prompt has no text: write `raw`, `messages`, `path` or `command`")
        prefix, suffix = written.get("prefix") or "", written.get("suffix") or ""
        if isinstance(found, Scalar) and (prefix or suffix):
            return Scalar(found.span, found.whole, None, None, f"{prefix}{found.text}{suffix}", "double")
        return found

    async def _file_text(self, name: str) -> Node:
        """The prompt in a file, or the return value of a function in it."""
        name = name.removeprefix(URL)
        if _FUNCTION.search(name):
            told = {"context": {"vars": dict(self.case.variables), "provider": self.case.options.target}}
            name = (
                name if ":" in PurePath(name).name else f"{name}:{'get_prompt' if name.endswith('.py') else 'default'}"
            )
            limit = self.case.options.time_limit
            code, directory = f"{URL}{name}", self.case.directory
            try:
                made = await run_function(code, language_of(code), told, self.ports, directory, limit, self.case.case)
            except Unscored as problem:
                raise self._trouble(problem.reason) from None
            return node_of(made, self.prompt.node)
        path = find_file(name, self.case.directory, self.ports.files, current_directory())
        try:
            if path is None and is_pattern(name):
                raise self._trouble(f"there is no prompt file {name}, or {TOO_MANY_FOLDERS}")
            if path is None:
                raise self._trouble(f"the prompt file {name} does not exist")
            text = self.ports.files.read(path, _LARGEST).decode("utf-8")
            self.file = path.name
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or error
            raise self._trouble(f"the prompt file {name} cannot be read: {why}") from None
        if path.suffix.lower() in (".json", *YAML):
            tree = parse(text)
            return node_of(plain(tree.root, tree.anchors), self.prompt.node)
        return Scalar(self.prompt.node.span, self.prompt.node.whole, None, None, text.rstrip("\r\n"), "double")

    async def _program_text(self, written: Mapping[str, Any]) -> Node:
        """The output of a program that gets the values of the case."""
        command = written["command"]
        if not isinstance(command, str | list) or not command or not all(isinstance(word, str) for word in command):
            raise self._trouble("the prompt's `command` is not a command")
        told = {"vars": dict(self.case.variables), "config": written.get("config"), "case": self.case.id}
        limit = self.case.options.time_limit
        program = Program(
            argv_of(command, self.ports.environment),
            self.case.directory,
            json_input(told),
            time_limit=limit,
            output_limit=_OUTPUT_LIMIT,
        )
        try:
            text = (await program_output(program, self.ports.processes)).strip()
        except ProgramError as error:
            raise self._trouble(f"the prompt program {command_words(command)}: {error}") from None
        return Scalar(self.prompt.node.span, self.prompt.node.whole, None, None, text, "double")


def _messages_in(node: Node) -> Node:
    """The messages of a text that is a JSON list of messages."""
    if not isinstance(node, Scalar) or not node.text.lstrip().startswith("["):
        return node
    try:
        value = json.loads(node.text)
    except (ValueError, RecursionError):
        return node
    listed = isinstance(value, list) and value and all(isinstance(m, dict) and "role" in m for m in value)
    return node_of(value, node) if listed else node
