"""The program of a sandbox process: reads requests on standard input, a line of JSON each, and writes replies.

It is run by its path, without the packages around it. A request has an action (`do`) and its `seconds` of CPU time; the
reply has a `value` or an `error`. Meanwhile it may `ask` for a value `about` a name, and gets an `answer`.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, BinaryIO

#: Bytes of memory.
_MEMORY = 512 << 20
#: Characters of a rendered text.
_LONGEST = 10_000_000
#: The number of cached templates.
_KEPT = 500
#: The members of texts, lists and numbers in JavaScript.
_MEMBERS = frozenset({
    "at", "charAt", "charCodeAt", "codePointAt", "concat", "copyWithin", "endsWith", "entries", "every", "fill", "filter", "find", "findIndex",
    "findLast", "flat", "flatMap", "forEach", "includes", "indexOf", "join", "keys", "lastIndexOf", "localeCompare", "map", "match",
    "matchAll", "normalize", "padEnd", "padStart", "pop", "push", "reduce", "reduceRight", "repeat", "replace", "replaceAll", "reverse",
    "search", "shift", "slice", "some", "sort", "splice", "split", "startsWith", "substr", "substring", "toExponential", "toFixed",
    "toLocaleLowerCase", "toLocaleString", "toLocaleUpperCase", "toLowerCase", "toPrecision", "toString", "toUpperCase", "trim", "trimEnd",
    "trimStart", "unshift", "valueOf", "values", "constructor",
})  # fmt: skip
_DEEP = "is nested too deeply, or recurses without end"


def main() -> None:
    """Serve until the end of the input."""
    _limit_memory()
    talk = _Talk(sys.stdin.buffer, sys.stdout.buffer)
    templates = _Templates(talk)
    sys.path += talk.receive()["path"]
    while True:
        request = talk.receive()
        talk.clock(request["seconds"])
        reply = _reply(request, templates)
        talk.clock(0)
        talk.send(reply)


def _reply(request: dict[str, Any], templates: "_Templates") -> dict[str, Any]:
    try:
        return {"value": templates.text(request) if request["do"] == "render" else _checked(request)}
    except RecursionError:
        return {"error": _DEEP}
    except MemoryError:
        return {"error": f"needs more than {_MEMORY >> 20} MB of memory"}
    except _Failure as failure:
        return {"error": str(failure), "told": True}
    except Exception as error:  # noqa: BLE001  # whatever is wrong with it is reported
        return {"error": f"fails: {error or type(error).__name__}"}


class _Talk:
    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink

    def receive(self) -> dict[str, Any]:
        line = self._source.readline()
        if not line.endswith(b"\n"):
            os._exit(0)  # the parent has gone
        told: dict[str, Any] = json.loads(line)
        return told

    def send(self, message: dict[str, Any]) -> None:
        self._sink.write(json.dumps(message, default=str).encode() + b"\n")
        self._sink.flush()

    def ask(self, what: str, about: Any) -> Any:
        """The parent's answer; waiting for it uses no CPU time."""
        self.send({"ask": what, "about": about})
        return self.receive()["answer"]

    def clock(self, seconds: float) -> None:
        """End this process after this much CPU time, whatever it does then; 0: no limit."""
        with suppress(ImportError, AttributeError):  # Windows, where the parent ends it
            import signal  # noqa: PLC0415

            signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory() -> None:
    """Limit the memory, on systems that support it; macOS does not."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  # not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        if sys.platform.startswith("linux"):
            # The mark of a program that was being started at the same time, see `orphan_processes.LimitMark`, is not this one's.
            resource.setrlimit(resource.RLIMIT_RTTIME, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@lru_cache
def _beside(name: str) -> Any:
    """The module `NAME.py` in this folder. Modules loaded after it can import it."""
    from importlib.util import module_from_spec, spec_from_file_location  # noqa: PLC0415  # templates of agentv need none

    spec = spec_from_file_location(name, f"{__file__.removesuffix('worker.py')}{name}.py")
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = module_from_spec(spec)
    sys.modules[f"rubric_core.sandbox.{name}"] = module  # no other module of that package can be imported
    spec.loader.exec_module(module)
    return module


# Patterns and schemas


def _checked(request: dict[str, Any]) -> Any:
    checks = _beside("checks")
    try:
        return checks.checked(request)
    except checks.InvalidSchemaError as error:
        raise _Failure(str(error)) from None


# Templates


class _Failure(Exception):  # noqa: N818  # what a reply says, as a whole sentence
    """A template cannot be rendered."""


class _Variables(Mapping[str, str]):
    """The environment as templates see it: one variable at a time, never as a whole."""

    def __init__(self, talk: "_Talk") -> None:
        self._talk = talk

    def __getitem__(self, name: str) -> str:
        found = self._talk.ask("environment", name) if isinstance(name, str) else None
        if found is None:
            raise KeyError(name)
        return str(found)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "(the environment)"

    __str__ = __repr__


class _Templates:
    """Renders templates. jinja2 is imported with the first one."""

    def __init__(self, talk: "_Talk") -> None:
        self._talk = talk
        self._environments: dict[tuple[bool, tuple[str, ...]], Any] = {}
        self._compiled: dict[tuple[str, bool, tuple[str, ...]], tuple[set[str], Any]] = {}

    def text(self, request: dict[str, Any]) -> str | None:
        """The rendered template of a request; None if a name has no value, unless it is `plain` Nunjucks."""
        from jinja2 import TemplateError, TemplateSyntaxError  # noqa: PLC0415

        values, is_plain = request["values"], bool(request.get("plain"))
        try:
            names, template = self._read(request["template"], tuple(request["filters"]), is_plain)
            if not is_plain and not names <= {*values, "vars", "env"}:
                return None
            around = {} if is_plain else {"vars": values}
            made = str(template.render({**values, **around, "env": _Variables(self._talk)}))
        except TemplateSyntaxError as error:
            raise _Failure(f"the template cannot be read: {error.message}") from None
        except TemplateError as error:
            raise _Failure(str(error)) from None
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, SyntaxError) as error:
            raise _Failure(f"the template failed: {error}") from None
        if len(made) > _LONGEST:
            raise _Failure(f"the template returns more than {_LONGEST:,} characters")
        return made

    def _read(self, template: str, filters: tuple[str, ...], is_plain: bool) -> tuple[set[str], Any]:
        """The names that a template uses, and the compiled template."""
        from jinja2 import meta, nodes  # noqa: PLC0415

        known = self._compiled.get((template, is_plain, filters))
        if known is None:
            if (is_plain, filters) not in self._environments:
                self._environments[is_plain, filters] = self._plain(filters) if is_plain else self._environment(filters)
            jinja = self._environments[is_plain, filters]
            nunjucks = _beside("nunjucks")
            tree = jinja.parse(nunjucks.in_jinja(template) if is_plain else template)
            other = next(iter(meta.find_referenced_templates(tree)), "")
            if other != "":
                file = f"`{other}`" if other else "of a computed name"
                raise _Failure(f"rubric reads no other file into a template; write the text of the file {file} here")
            if is_plain:
                if next(tree.find_all(nodes.Slice), None) is not None:
                    raise _Failure("templates of promptfoo have no slices such as `[1:]`")
                tree = nunjucks.javascript_tree(tree, jinja)
            known = meta.find_undeclared_variables(tree), jinja.from_string(tree)
            if len(self._compiled) >= _KEPT:
                self._compiled.clear()
            self._compiled[template, is_plain, filters] = known
        return known

    def _plain(self, filters: tuple[str, ...]) -> Any:
        """Templates as Nunjucks itself renders them: missing values are empty, and values are written as in JavaScript."""
        from jinja2 import ChainableUndefined  # noqa: PLC0415
        from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

        values, its_filters, nunjucks = map(_beside, ("values", "filters", "nunjucks"))

        class Nunjucks(ImmutableSandboxedEnvironment):
            """Values have the operators and members that they have in JavaScript, and no others."""

            intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})
            intercepted_unops = frozenset({"-"})

            def call_binop(self, _: Any, operator: str, left: Any, right: Any) -> Any:
                return values.computed(operator, left, right)

            def call_unop(self, _: Any, __: str, value: Any) -> Any:
                return -values.number(value)

            def getattr(self, obj: Any, attribute: str) -> Any:
                return self.getitem(obj, attribute)

            def getitem(self, obj: Any, argument: Any) -> Any:
                if isinstance(obj, str | list) and argument == "length":
                    return len(obj)
                if isinstance(obj, str | list | int | float) and isinstance(argument, str):
                    if argument in _MEMBERS:
                        raise _Failure(f"rubric does not have JavaScript's `{argument}` in templates")
                    return self.undefined(obj=obj, name=argument)
                if isinstance(obj, dict) and argument not in obj:
                    return self.undefined(obj=obj, name=argument)
                return super().getitem(obj, argument)

        made = Nunjucks(
            undefined=ChainableUndefined, autoescape=False, keep_trailing_newline=True, finalize=values.shown,
            extensions=[nunjucks.Switch],
        )  # fmt: skip
        made.filters = {**its_filters.FILTERS, **values.OPERATORS}
        for name in filters:
            made.filters[name] = partial(self._filtered, name)
        return made

    def _environment(self, filters: tuple[str, ...]) -> Any:
        from jinja2 import Undefined, UndefinedError  # noqa: PLC0415
        from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

        class Missing(Undefined):
            """Empty in a text, as in Nunjucks, except that environment variables have to exist."""

            def __str__(self) -> str:
                if isinstance(self._undefined_obj, _Variables):
                    raise UndefinedError(f"the environment variable {self._undefined_name} is not set")
                return ""

        made = ImmutableSandboxedEnvironment(
            undefined=Missing, autoescape=False, keep_trailing_newline=True, finalize=_text
        )
        made.filters["dump"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
        for name in filters:
            made.filters[name] = partial(self._filtered, name)
        return made

    def _filtered(self, name: str, *arguments: Any, **named: Any) -> Any:
        """The result of a suite's filter; keyword arguments are passed together as the last one, as in Nunjucks."""
        return self._talk.ask("filter", [name, *arguments, *([named] if named else [])])


def _text(value: Any) -> Any:
    """A value as text: mappings and lists as JSON, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool | dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    return value


if __name__ == "__main__":
    main()
