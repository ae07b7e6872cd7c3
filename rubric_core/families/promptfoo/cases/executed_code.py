"""The files with code that a promptfoo case executes: its result depends on them, and a run may read them.

Runs nothing, and reads no environment. What a case does is in its plan instead, see `engine/rehearse.py`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.code.interpreters import INTERPRETERS
from rubric_core.evaluation.model.executed_code import ExecutedCode
from rubric_core.families.promptfoo.cases.configuration import PromptfooConfiguration
from rubric_core.families.promptfoo.cases.prompts import PROGRAMS, is_executable
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.code.npm_packages import NPM_PACKAGES
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL, is_pattern
from rubric_core.loading.path_matches import path_matches

__all__ = ["ExecutedCode", "executed_code"]

_EXEC = "exec:"
#: The interpreter of a code file by its extension; other files are run as programs.
_RUNS = {
    ".py": "python3", ".rb": "ruby", ".go": "go",
    **dict.fromkeys((".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"), "node"),
}  # fmt: skip
#: The interpreter of code after a prefix of an id or value.
_PREFIXES = {"python": "python3", "ruby": "ruby", "golang": "go", "package": "node"}
#: A file with code, and the function in it.
_FILE = pattern(r"(?P<path>.+?(?P<ending>\.(?:py|rb|go|[cm]?[jt]s)))(?::[A-Za-z_$][\w$.]*)?\Z")
#: Types of assertions whose value is code.
_SCRIPTS = {language: interpreter.name for language, interpreter in INTERPRETERS.items()}
#: Keys whose text is JavaScript unless it names a file, at any depth.
_CODE_KEYS = frozenset({
    "transform", "postprocess", "transformVars", "contextTransform", "assertScoringFunction", "transformRequest",
    "transformResponse", "requestTransform", "responseTransform", "responseParser", "requestParser", "sessionParser", "validateStatus",
})  # fmt: skip
#: Settings of providers that name a program.
_PROGRAM_KEYS = frozenset(
    {"goExecutable", "command", *(each.setting for each in INTERPRETERS.values() if each.setting)}
)
_CALLBACKS = "functionToolCallbacks"
_REMOTE = pattern(r"(?:https?|wss?|huggingface|sharepoint|portkey|langfuse|helicone|gs|s3|az)://")
_WITHOUT_TEXT = frozenset({bool, int, float, type(None)})
_LISTED = ("prompts", "tests", "scenarios", "defaultTest", "extensions")


def executed_code(case: PromptfooRunnable, *, makes_tests: bool = True) -> tuple[ExecutedCode, ...]:
    """All code that running a case executes, without duplicates, including code that rubric does not run yet.

    With `makes_tests`, also the programs in the list of tests; a test that one of them made has it among its files.
    """
    found = [
        *_code_of_suite(case, makes_tests=makes_tests),
        *(each for provider in _providers(case) for each in _code_of_provider(provider)),
        *_code_of_data(case),
        *(each for settings, _ in case.test.assertions for each in _code_of_assertion(settings)),
    ]
    return tuple(dict.fromkeys(found))


def _code_of_suite(case: PromptfooRunnable, *, makes_tests: bool) -> tuple[ExecutedCode, ...]:
    """What every case executes: looked for once, since all tests of a configuration are read for it."""
    known = case.matrix.code
    if makes_tests not in known:
        names = _LISTED if makes_tests else [name for name in _LISTED if name != "tests"]
        known[makes_tests] = tuple(dict.fromkeys(_code_in_configuration(case.matrix.configuration, names)))
    return known[makes_tests]


def _code_of_data(case: PromptfooRunnable) -> tuple[ExecutedCode, ...]:
    """What the test executes besides its assertions: looked for once for all of its rows."""
    known = case.matrix.code_of_tests.get(case.test)
    if known is None:
        found = _in_data({name: value for name, value in case.test.data.items() if name != "assert"})
        known = case.matrix.code_of_tests.keep(case.test, tuple(dict.fromkeys(found)))
    return known


class _Provider(NamedTuple):
    """A provider that answers tests or grades outputs."""

    id: str
    config: Any
    transform: Any = None


def _providers(case: PromptfooRunnable) -> Iterator[_Provider]:
    """The providers that answer, and those that grade."""
    every = case.matrix.providers
    names = {each.options.target for each in variations(case)}
    written = [case.test.data.get("provider"), case.test.part("options").get("provider")]
    for settings, _ in case.test.assertions:
        if "provider" in settings or "assert" in settings:
            written += _grading(settings)
    graders = [each for value in written for each in _named_in(value)]
    words = {each for each in graders if isinstance(each, str)}
    for each in every:
        if each.name in names or not words.isdisjoint((each.label, each.id)):
            yield _Provider(each.id, each.config, each.transform)
    for grader in graders:
        settings = grader if isinstance(grader, dict) else {"id": grader}
        identity = str(settings["id"])
        if all(identity not in (known.label, known.id) for known in every):
            yield _Provider(identity, settings.get("config"), settings.get("transform"))


def _grading(settings: Mapping[str, Any]) -> Iterator[Any]:
    yield settings.get("provider")
    for each in _members(settings):
        yield from _grading(each)


def _named_in(written: Any) -> Iterator[str | dict[str, Any]]:
    """The providers that a `provider` of a case or assertion names: one, or one for each role."""
    if isinstance(written, str):
        yield written
    elif isinstance(written, dict):
        if isinstance(written.get("id"), str):
            yield written
        else:
            yield from (inner for value in written.values() for inner in _named_in(value))


def _code_in_configuration(configuration: PromptfooConfiguration, names: Iterable[str]) -> Iterator[ExecutedCode]:
    for name in names:
        written = configuration.data.get(name)
        if name == "prompts":
            yield from (code for text in _prompt_texts(written) for code in _code_of_prompt(text, configuration))
        elif name in ("tests", "scenarios", "defaultTest"):
            yield from (_code_in_file(text) for text in _sources(written) if _FILE.match(text))
        else:
            yield from _in_data(written)
    filters = configuration.data.get("nunjucksFilters")
    if isinstance(filters, dict):
        yield from (_code_in_file(text) for text in filters.values() if isinstance(text, str))


def _prompt_texts(written: Any) -> Iterator[str]:
    """The prompts that may be paths."""
    for item in written if isinstance(written, list) else written if isinstance(written, dict) else [written]:
        if isinstance(item, dict):
            item = item.get("raw") or item.get("id") or item.get("path")  # noqa: PLW2901  # what the entry names
        if isinstance(item, str) and "\n" not in item:
            yield item


def _code_of_prompt(text: str, configuration: PromptfooConfiguration) -> Iterator[ExecutedCode]:
    name = text.removeprefix(URL)
    if text.startswith(_EXEC):
        yield ExecutedCode(text.removeprefix(_EXEC).strip())
    elif is_pattern(name) or configuration.files.is_directory(configuration.directory / name):
        wanted = name if is_pattern(name) else f"{name.rstrip('/')}/*"
        for path in path_matches(wanted, [configuration.directory], configuration.files).paths:
            if path.suffix.lower() in PROGRAMS or is_executable(str(path), configuration):
                yield _code_in_file(str(path))
    elif Path(name.partition(":")[0]).suffix.lower() in PROGRAMS or is_executable(name, configuration):
        yield _code_in_file(name)


def _sources(written: Any) -> Iterator[str]:
    """The files that cases come from, which may be programs that make them."""
    for item in written if isinstance(written, list) else [written]:
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from (item[name] for name in ("path",) if isinstance(item.get(name), str))
            for name in ("config", "tests"):  # those of a scenario
                inner = item.get(name)
                yield from _sources(inner) if isinstance(inner, list | str) else ()


def _code_in_file(name: str) -> ExecutedCode:
    """A file with code that is named without or with `file://`."""
    path = name.removeprefix(URL)
    found = _FILE.match(path)
    file = found["path"] if found else path
    runs = _RUNS.get(found["ending"].lower()) if found else None
    return ExecutedCode(f"{runs}: {name}" if runs else path, file)


def _code_of_id(identity: str) -> ExecutedCode | None:
    """The code that the provider with an id executes; None for a provider called over the network."""
    if identity.startswith(_EXEC):
        return ExecutedCode(identity.removeprefix(_EXEC).strip())
    if identity.startswith(URL):
        return _code_in_file(identity)
    prefix, _, rest = identity.partition(":")
    if prefix in _PREFIXES and rest:
        found = _FILE.match(rest)
        return ExecutedCode(f"{_PREFIXES[prefix]}: {rest}", found["path"] if found and prefix != "package" else "")
    return _code_in_file(identity) if _FILE.match(identity) and not _REMOTE.match(identity) else None


def _code_of_provider(provider: _Provider) -> Iterator[ExecutedCode]:
    own = _code_of_id(provider.id)
    if own is not None:
        yield own
    if isinstance(provider.transform, str):
        yield _code(provider.transform)
    yield from _in_data(provider.config)
    for key, text in _keyed(provider.config):
        if key in _PROGRAM_KEYS:
            yield ExecutedCode(text)
    callbacks = provider.config.get(_CALLBACKS) if isinstance(provider.config, dict) else None
    if isinstance(callbacks, dict):
        yield from (_code(text) for text in callbacks.values() if isinstance(text, str))


def _code_of_assertion(settings: Mapping[str, Any]) -> Iterator[ExecutedCode]:
    kind = str(settings.get("type")).removeprefix("not-")
    value = settings.get("value")
    if kind in _SCRIPTS and isinstance(value, str):
        yield _code(value, _SCRIPTS[kind])
    if kind in NPM_PACKAGES:
        yield ExecutedCode(f"node: the npm package {NPM_PACKAGES[kind]}")
    for name, each in settings.items():
        if name != "assert" and type(each) not in _WITHOUT_TEXT:
            yield from _in_data(each, name)
    for each in _members(settings):
        yield from _code_of_assertion(each)


def _members(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The assertions of a set."""
    listed = settings.get("assert")
    return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []


def _code(text: str, runs: str = "node") -> ExecutedCode:
    """The code, or the file that contains it."""
    if text.startswith(URL):
        return _code_in_file(text)
    return ExecutedCode(f"{runs}: {text.strip()}")


def _in_data(value: Any, name: str = "") -> Iterator[ExecutedCode]:
    """The files with code that texts name, and the texts under keys that take code."""
    for key, text in [(name, value)] if isinstance(value, str) else _keyed(value, name):
        if text.startswith(URL) and _FILE.match(text):
            yield _code_in_file(text)
        elif text.startswith("package:"):
            yield ExecutedCode(f"node: {text.removeprefix('package:')}")
        elif key in _CODE_KEYS:
            yield _code(text)


def _keyed(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text in some data, with the key that it is the value of, through lists."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(inner, str):
                yield str(key), inner
            else:
                yield from _keyed(inner, str(key))
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _keyed(inner, name)
