"""Suites of both families with one hostile setting each: every setting of the catalogue, with another program, directory, host, file,
variable, function or code as its value."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.families.promptfoo.language.provider_ids import PROVIDERS
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Messages, Shaped, Shorthand, Tagged
from rubric_core.language.targets import Entry, Provider, Target
from rubric_core.language.value_kinds import Anything, Choice, Kind, ListOf, MapOf, NodeUnion, Text, usual

__all__ = ["VALUES", "HostileSetting", "hostile_settings"]

#: Hostile values. `@OUT` is a directory outside, `@MARK` a word of this suite alone, `@URL` the server, `@LOG` a file that everything writes to.
VALUES: Mapping[str, str] = {
    "a program": "@OUT/prog",
    "a program of the folder": "./prog-@MARK.sh",
    "a directory": "@OUT",
    "a host": "@URL/@MARK",
    "a file": "file://@OUT/file.txt",
    "a path": "@OUT/file.txt",
    "a variable": "${{ SECRET_@MARK }}",
    "a variable in a template": "{{ env.SECRET_@MARK }}",
    "a host with a variable": "@URL/@MARK?key=${{ SECRET_@MARK }}",
    "a module": "file://mod_@MARK.py",
    "a function": "mod_@MARK:act",
    "a function in a file": "file://mod_@MARK.py:act",
    "a script": "file://mod_@MARK.js",
    "JavaScript": "require('fs').appendFileSync('@LOG', '@MARK')",
    "Python": "open('@LOG', 'a').write('@MARK')",
    "a shell's command": "good; @OUT/prog",
    "a program by a prefix": "exec:@OUT/prog",
}
_PROGRAMS = ("a program", "a program of the folder", "a shell's command", "a program by a prefix")
_CODE = ("a module", "a function in a file", "a script", "JavaScript", "Python", "a program by a prefix")
_HOSTS = ("a host", "a host with a variable")
_VARIABLES = ("a variable", "a variable in a template")
#: The values that mean most for a setting whose name has such a word; the first word that fits decides.
_FITTING: tuple[tuple[str, Sequence[str]], ...] = (
    (r"command|executable|binary|args|arguments|\bpython\b|runtime", _PROGRAMS),
    (r"cwd|workdir|template|basePath|\.path|\bPATH\b|directory", ("a directory",)),
    (r"url|endpoint|base|host|resource|webhook", _HOSTS),
    (r"key|token|header|env|auth|KEY|body", _VARIABLES),
    (r"transform|function|javascript|python|extension|filter|Parser|Callback|scoring|\bvalue$|validate", _CODE),
    (r"content|fixtures|prompt|vars|criteria|rubric|file|tests|schema|input", ("a file", "a path", *_VARIABLES)),
    (r"provider|target|grader", (*_HOSTS, *_CODE)),
)
_LEVELS = 5
_GOOD = "good"
#: What the mappings of some shapes need besides the setting.
_BESIDE: Mapping[str, dict[str, Any]] = {
    "Hook": {"command": [_GOOD]},
    "Setup": {"command": [_GOOD]},
    "Environment": {"type": "host", "workdir": "."},
    "Repo": {"path": "./r"},
    "RepoSource": {"type": "local"},
    "Preprocessor": {"type": "txt", "command": [_GOOD]},
    "PromptProgram": {"command": [_GOOD]},
    "Healthcheck": {"command": _GOOD},
}
_JUDGE = {"prompt": "Judge: {{ output }}"}
#: Settings that kinds of targets need, by their kind.
_NEEDED: Mapping[str, dict[str, Any]] = {
    "cli": {"command": _GOOD},
    "http": {"url": "@URL/usual"},
    "python": {"function": "usual:answer"},
    "openai": {"model": "m", "base_url": "@URL/usual", "api_key": "a-usual-key"},
    "azure": {"model": "m", "endpoint": "@URL/usual", "api_key": "a-usual-key"},
    "mock": {"response": "ok"},
}
_MODEL = {"model": "m", "api_key": "a-usual-key"}


@dataclass(frozen=True)
class HostileSetting:
    """A setting with a hostile value: the files of a folder, usual and hostile, with `@OUT` and the like in them."""

    name: str
    suite: str
    usual: dict[str, str]
    hostile: dict[str, str]


def hostile_settings(chance: random.Random, each: int) -> Iterator[HostileSetting]:
    """Every setting of the catalogue with `each` of the values that the chance chooses, those that act most likely first."""
    places = [*(each for dialect in DIALECTS for each in _of_agentv(dialect)), *_of_promptfoo()]
    chance.shuffle(places)
    for place in sorted(places, key=_is_likely, reverse=True):
        yield from _with_values(place, chance, each)


@dataclass(frozen=True)
class _Place:
    """A setting: where it is in the data of a file, and what that needs besides."""

    name: str
    suite: str
    #: The usual files, as data.
    usual: dict[str, Any]
    file: str
    #: The data of that file around the setting, with `_HERE` in its place.
    around: Any

    @property
    def setting(self) -> str:
        """The name of the setting, without that of the kind of its place."""
        return self.name.rpartition(", ")[2]


class _Here:
    """The place of the value."""


_HERE = _Here()


def _is_likely(place: _Place) -> bool:
    return any(re.search(words, place.setting) for words, _ in _FITTING[:-1])


def _with_values(place: _Place, chance: random.Random, each: int) -> Iterator[HostileSetting]:
    fitting = next((values for words, values in _FITTING if re.search(words, place.setting)), ())
    # One in four is any of them: nobody knows all that a setting is read as.
    names = fitting if fitting and chance.random() < 0.75 else sorted(VALUES)
    for name in chance.sample(names, min(each, len(names))):
        hostile = {place.file: _filled(place.around, VALUES[name])}
        yield HostileSetting(f"{place.name}: {name}", place.suite, _texts(place.usual), _texts(hostile))


def _filled(data: Any, value: str) -> Any:
    if data is _HERE:
        return value
    if isinstance(data, dict):
        return {value if name is _HERE else name: _filled(inner, value) for name, inner in data.items()}
    return [_filled(inner, value) for inner in data] if isinstance(data, list) else data


def _texts(files: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: data if isinstance(data, str) else ("" if "#" not in data else f"{data.pop('#')}\n") + json.dumps(data)
        for name, data in ((name, dict(each) if isinstance(each, dict) else each) for name, each in files.items())
    }


# AgentV


def _of_agentv(dialect: Dialect) -> Iterator[_Place]:
    base = Provider if dialect.properties.engine == "agentv" and dialect.name == "agentv-5" else Target
    suite, targets = f"{dialect.name}.eval.yaml", ".agentv/targets.yaml"
    usual = {suite: _suite(dialect), targets: _targets(dialect, base, {}), "usual.py": "def answer(*_): return 'ok'\n"}
    for kind, shape in _types(dialect, base):
        needed = _NEEDED.get(kind, _MODEL if "model" in shape.keys and "command" not in shape.keys else {})
        for name, path in _leaves(dialect, shape, 0):
            around = _targets(dialect, base, _merged(_entry(dialect, base, kind, needed), path))
            yield _Place(f"{dialect.name} target {kind}, {name}", suite, usual, targets, around)
    seen: set[object] = set()
    for kind, shape in _types(dialect, Evaluator):
        for name, path in _new_leaves(dialect, shape, seen):
            grader = _merged(_grader(dialect, kind, shape), path)
            yield _Place(f"{dialect.name} {kind}, {name}", suite, usual, suite, _suite(dialect, grader))
    for shape, where in ((Suite, ()), (Case, (dialect.spelled(Suite, "cases") or "tests", 0))):
        for name, path in _leaves(dialect, shape, 0):
            around = _merged(_suite(dialect), _nested(where, path))
            yield _Place(f"{dialect.name} {shape.__name__}, {name}", suite, usual, suite, around)


def _types(dialect: Dialect, base: type[Shape]) -> Iterator[tuple[str, type[Shape]]]:
    for known in dialect.types_of(base).values():
        if known.fate.read and issubclass(known.shape, base):
            yield known.name, known.shape


def _suite(dialect: Dialect, grader: Any = None) -> dict[str, Any]:
    """A suite with one case, which names the key of its dialect."""
    usual = {dialect.spelled(Evaluator, "type") or "type": "contains", "value": "ok"}
    graders = [usual if grader is None else grader]
    head: dict[str, Any] = {"#": f"# rubric: dialect={dialect.name}", "name": "x"}
    if dialect.name == "agentv-5":
        case: dict[str, Any] = {"id": "a", "vars": {"q": "hi"}}
        return {**head, "providers": ["default"], "prompts": ["{{ q }}"], "tests": [{**case, "assert": graders}]}
    names = {field: dialect.spelled(Case, field) or field for field in ("criteria", "input", "evaluators")}
    case = {"id": "a", names["criteria"]: "c", names["input"]: [{"role": "user", "content": "hi"}]}
    return {**head, dialect.spelled(Suite, "cases") or "tests": [{**case, names["evaluators"]: graders}]}


def _targets(dialect: Dialect, base: type[Entry], entry: dict[str, Any]) -> dict[str, Any]:
    name = dialect.spelled(base, "name") or "name"
    usual = entry or _entry(dialect, base, "cli", _NEEDED["cli"])
    judge = {**_entry(dialect, base, "openai", _NEEDED["openai"]), name: "judge"}
    key = "providers" if base is Provider else "targets"
    head = {"version": "2.0"} if dialect.name in ("agentv-0.1", "agentv-0.5") else {}
    return {**head, key: [{**usual, name: "default"}, judge]}


def _entry(dialect: Dialect, base: type[Entry], kind: str, needed: Mapping[str, Any]) -> dict[str, Any]:
    tag = dialect.spelled(base, "provider") or "provider"
    judged = dialect.spelled(base, "grader_target")
    inner = dialect.spelled(base, "settings")
    settings = {inner: dict(needed)} if inner and base is Provider else dict(needed)
    return {tag: kind, **settings, **({judged: "judge"} if judged else {})}


def _grader(dialect: Dialect, kind: str, shape: type[Shape]) -> dict[str, Any]:
    """A grader of a kind with what it needs."""
    made: dict[str, Any] = {dialect.spelled(Evaluator, "type") or "type": kind}
    for spelling, key in dialect.fields(shape):
        if key.field == "command":
            made[spelling.name] = [_GOOD]
        elif key.field in ("assertions", "evaluators", "assert", "members"):
            made[spelling.name] = [{dialect.spelled(Evaluator, "type") or "type": "contains", "value": "ok"}]
        elif key.required and key.example and key.field != "type":
            made[spelling.name] = yaml.safe_load(key.example)
        elif key.field == "prompt" and "llm" in kind:
            made[spelling.name] = _JUDGE["prompt"]
    return made


def _leaves(dialect: Dialect, shape: type[Shape], level: int) -> Iterator[tuple[str, Any]]:
    """Every text among the settings of a shape, with the data around it."""
    for spelling, key in dialect.fields(shape):
        if key.field in (shape.tag if hasattr(shape, "tag") else "type", "id", "name") and level == 0:
            continue
        for name, around in _values(dialect, key.kind, level):
            yield (
                f"{spelling.name}{name}",
                _merged(dict(_BESIDE.get(shape.__name__, {})) if level else {}, {spelling.name: around}),
            )


def _new_leaves(dialect: Dialect, shape: type[Shape], seen: set[object]) -> Iterator[tuple[str, Any]]:
    """Those that no other shape has inherited from the same one."""
    for name, path in _leaves(dialect, shape, 0):
        field = next(iter(path))
        owner = next((base for base in shape.__mro__ if field in vars(base)), shape)
        if (owner, name) not in seen:
            seen.add((owner, name))
            yield name, path


def _values(dialect: Dialect, kind: Kind[Any] | None, level: int) -> Iterator[tuple[str, Any]]:
    kind = usual(kind)
    if isinstance(kind, NodeUnion):
        for branch in (kind.text, kind.mapping, kind.sequence):
            if branch is not None:
                yield from _values(dialect, branch, level)
    elif isinstance(kind, Text | Anything | Shorthand | Choice):
        yield "", _HERE
        if isinstance(kind, Anything):
            yield ".key", {"key": _HERE}
    elif isinstance(kind, ListOf) and level < _LEVELS:
        yield from ((f"[]{name}", [around]) for name, around in _values(dialect, kind.item, level + 1))
    elif isinstance(kind, MapOf) and level < _LEVELS:
        for key in ("PATH", "KEY"):
            yield from ((f".{key}{name}", {key: around}) for name, around in _values(dialect, kind.value, level + 1))
    elif isinstance(kind, Messages):
        yield "[].content", [{"role": "user", "content": _HERE}]
        yield "[].content[].value", [{"role": "user", "content": [{"type": "file", "value": _HERE}]}]
    elif isinstance(kind, Shaped) and level < _LEVELS and kind.shape not in (Case, Suite):
        yield from ((f".{name}", around) for name, around in _leaves(dialect, kind.shape, level + 1))
    elif isinstance(kind, Tagged) and kind.base not in (Evaluator, Target, Provider, Assertion):
        yield from ((f".{name}", around) for name, around in _leaves(dialect, kind.base, level + 1))


def _nested(where: Sequence[Any], data: Any) -> Any:
    for name in reversed(where):
        data = [data] if name == 0 else {name: data}
    return data


def _merged(data: Any, more: Any) -> Any:
    """Data with more of it; the first items of two lists are merged."""
    if isinstance(data, dict) and isinstance(more, dict):
        return {**data, **{name: _merged(data[name], each) if name in data else each for name, each in more.items()}}
    if isinstance(data, list) and isinstance(more, list) and data and more and isinstance(more[0], dict):
        return [_merged(data[0], more[0]), *data[1:]]
    return more


# promptfoo

_CONFIGURATION = "promptfooconfig.yaml"
#: Providers that act here, with what they need.
_RUNNING: Mapping[str, dict[str, Any]] = {
    "exec:good": {},
    "file://usual.py": {},
    "python:usual.py": {},
    "file://usual.js": {},
    "http": {"url": "@URL/usual", "method": "POST", "body": {"q": "{{prompt}}"}},
    "@URL/usual": {"method": "POST", "body": {"q": "{{prompt}}"}},
    "webhook:@URL/usual": {},
    "openai:chat:m": {"apiBaseUrl": "@URL/usual", "apiKey": "a-usual-key"},
    "openai:responses:m": {"apiBaseUrl": "@URL/usual", "apiKey": "a-usual-key"},
    "anthropic:messages:m": {"apiBaseUrl": "@URL/usual", "apiKey": "a-usual-key"},
    "google:gemini-m": {"apiBaseUrl": "@URL/usual", "apiHost": "127.0.0.1", "apiKey": "a-usual-key"},
    "mistral:m": {"apiBaseUrl": "@URL/usual", "apiKey": "a-usual-key"},
    "ollama:chat:m": {"apiBaseUrl": "@URL/usual"},
    "azure:chat:m": {"apiBaseUrl": "@URL/usual", "apiKey": "a-usual-key"},
    "openrouter:m": {"apiBaseUrl": "@URL/usual", "apiKey": "a-usual-key"},
}
_OTHER_SETTINGS = (
    "pythonExecutable", "workers", "basePath", "cwd", "working_dir", "env", "headers", "queryParams", "transformRequest", "transformResponse",
    "responseParser", "sessionParser", "validateStatus", "auth", "tls", "signatureAuth", "request", "url", "tools", "response_format", "mcp", "passthrough",
    "apiKeyEnvar", "apiHost", "apiBaseUrl", "organization", "extra_body", "functionToolCallbacks", "raw", "useHttps", "path",
)  # fmt: skip


#: Settings that are no texts.
_SHAPES: Mapping[str, Any] = {
    "headers": {"KEY": _HERE},
    "env": {"PATH": _HERE},
    "auth": {"type": "bearer", "token": _HERE},
}


def _of_promptfoo() -> Iterator[_Place]:
    usual = {
        _CONFIGURATION: _configuration(),
        "usual.py": "def call_api(*_): return {'output': 'ok'}\n",
        "usual.js": "module.exports = class { id() { return 'u' } async callApi() { return {output: 'ok'} } }\n",
    }

    def place(name: str, around: Any) -> _Place:
        return _Place(f"promptfoo {name}", _CONFIGURATION, usual, _CONFIGURATION, around)

    yield place("provider", {**_configuration(), "providers": [_HERE]})
    for begin, needed in _RUNNING.items():
        for name in dict.fromkeys((*_OTHER_SETTINGS, *_settings_of(begin))):
            entry = {"id": begin, "config": {**needed, name: _SHAPES.get(name, _HERE)}}
            yield place(f"provider {begin}, config.{name}", {**_configuration(), "providers": [entry]})
        for name, around in (
            ("transform", _HERE), ("env.KEY", {"KEY": _HERE}), ("env.PATH", {"PATH": _HERE}), ("env.OPENAI_BASE_URL", {"OPENAI_BASE_URL": _HERE}),
        ):  # fmt: skip
            entry = {"id": begin, "config": needed, name.partition(".")[0]: around}
            yield place(f"provider {begin}, {name}", {**_configuration(), "providers": [entry]})
    seen: set[object] = set()
    for kind, shape in _types(PROMPTFOO, Assertion):
        for name, path in _new_leaves(PROMPTFOO, shape, seen):
            grader = _merged({"type": kind, "value": "ok"}, path)
            yield place(f"{kind}, {name}", _configuration(grader))
    for name, path in _leaves(PROMPTFOO, Configuration, 0):
        yield place(f"configuration, {name}", _merged(_configuration(), path))
    for name, around in _VARIATIONS.items():
        yield place(name, _merged(_configuration(), around))


#: Places that the shapes do not lead to.
_VARIATIONS: Mapping[str, Any] = {
    "vars": {"tests": [{"vars": {"q": _HERE}}]},
    "a variable that is a host": {
        "providers": [{"id": "http", "config": {"url": "{{ place }}/usual", "method": "GET"}}], "tests": [{"vars": {"place": _HERE}}],
    },
    "defaultTest": {"defaultTest": _HERE},
    "defaultTest.vars": {"defaultTest": {"vars": {"q": _HERE}}, "tests": [{"vars": {"p": "x"}}]},
    "tests": {"tests": _HERE},
    "a test's provider": {"tests": [{"provider": _HERE}]},
    "a test's options.provider": {"tests": [{"options": {"provider": _HERE}}]},
    "a test's options.transform": {"tests": [{"options": {"transform": _HERE}}]},
    "a test's options.transformVars": {"tests": [{"options": {"transformVars": _HERE}}]},
    "a test's options.rubricPrompt": {"tests": [{"options": {"rubricPrompt": _HERE}, "assert": [{"type": "llm-rubric", "value": "x"}]}]},
    "a test's assertScoringFunction": {"tests": [{"assertScoringFunction": _HERE}]},
    "extensions": {"extensions": [_HERE]},
    "filters": {"nunjucksFilters": {"shout": _HERE}, "prompts": ["{{ q | shout }}"]},
    "prompts": {"prompts": [_HERE]},
    "prompts.id": {"prompts": [{"id": _HERE, "label": "l"}]},
    "prompts.raw": {"prompts": [{"raw": _HERE, "label": "l"}]},
    "scenarios": {"scenarios": [{"config": [{"vars": {"q": _HERE}}], "tests": [{"assert": [{"type": "contains", "value": "ok"}]}]}]},
    "scenarios file": {"scenarios": [_HERE]},
    "derivedMetrics": {"derivedMetrics": [{"name": "m", "value": _HERE}]},
    "commandLineOptions.envPath": {"commandLineOptions": {"envPath": _HERE}},
    "env.PATH": {"env": {"PATH": _HERE}},
    "env.PROMPTFOO_PYTHON": {"env": {"PROMPTFOO_PYTHON": _HERE}, "providers": ["file://usual.py"]},
    "env.OPENAI_BASE_URL": {"env": {"OPENAI_BASE_URL": _HERE}, "providers": ["openai:chat:m"]},
    "env.OPENAI_API_KEY": {"env": {"OPENAI_API_KEY": _HERE}, "providers": [{"id": "openai:chat:m", "config": {"apiBaseUrl": "@URL/usual"}}]},
    "defaultTest.options.provider": {"defaultTest": {"options": {"provider": _HERE}, "assert": [{"type": "llm-rubric", "value": "x"}]}},
}  # fmt: skip


def _settings_of(begin: str) -> Sequence[str]:
    return next((each.config for each in PROVIDERS if each.begin and begin.startswith(each.begin)), ())


def _configuration(grader: Any = None) -> dict[str, Any]:
    graders = [{"type": "contains", "value": "ok"} if grader is None else grader]
    return {"prompts": ["{{ q }}"], "providers": ["exec:good"], "tests": [{"vars": {"q": "hi"}, "assert": graders}]}
