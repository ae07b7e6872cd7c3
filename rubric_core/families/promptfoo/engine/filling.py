"""Fills in the variables, the prompt and the values of assertions of one row of promptfoo."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.templating.custom_filters import CustomFilters
from rubric_core.evaluation.templating.nunjucks import TemplateError, Templates
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError
from rubric_core.families.promptfoo.cases.history import reads_conversation
from rubric_core.families.promptfoo.cases.runnable import FilledRow, PromptfooRunnable
from rubric_core.families.promptfoo.engine.environment import Environment, template_variables
from rubric_core.families.promptfoo.language.run_options import DISABLE_TEMPLATING, is_on
from rubric_core.families.promptfoo.model.assertion import PromptfooAssertion
from rubric_core.language.javascript_values import json_text, may_be_json, read_json, value_text
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports

__all__ = ["RowFilling"]

#: The variable with which promptfoo fills in a prompt that is JSON as it does others.
_PLAIN_JSON = "PROMPTFOO_DISABLE_JSON_AUTOESCAPE"
_CODE = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb")
_YAML = (".yaml", ".yml")
#: Files that promptfoo does not send as text.
_MEDIA = (
    ".pdf",
    ".png",
    ".jpg",
    ".jpeg",
    ".gif",
    ".webp",
    ".bmp",
    ".svg",
    ".mp3",
    ".wav",
    ".ogg",
    ".mp4",
    ".webm",
    ".mov",
)
_NAME = re.compile(r"\{\{\s*(\w+)\s*\}\}")
#: The names in a template as promptfoo's own search finds them (it misses some), and those of a loop.
_IN_TEMPLATE = re.compile(
    r"\{\{\s{0,99}([^{}\s|]{1,200})\s{0,99}(?:\|[^}]{1,500})?\}\}|\{%\s{0,99}(?:if|for)\s{1,99}([^{}\s]{1,200})\s[^{}\n]{0,500}%\}"
)
_LOOP = re.compile(r"\{%\s{0,99}for\s{1,99}(\w{1,99})\s{1,99}in\s{1,99}(\w{1,99})\s{0,99}%\}")
_ROOT = re.compile(r"[A-Za-z_]\w*")
#: Tags that are not closed on their line: promptfoo leaves the whole text unrendered.
_OPEN = re.compile(r"(\{%[^%]*$|\{\{[^}]*$|\{#[^#]*$)", re.MULTILINE)
_RAW = re.compile(r"\{%\s*raw\s*%\}")
#: How often variables are substituted into variables.
_ROUNDS = 5
_TEMPLATE = re.compile(r"\{[{%#]")
#: What JavaScript's `replace` puts for signs in a text that it inserts: `$`, what it replaces, and what is before or after that.
_SIGNS = re.compile(r"\$([$&`'])")


def _replaced(text: str, place: re.Match[str], inserted: str) -> str:
    """A text with a part replaced as by JavaScript's `replace`, which reads signs in what is inserted."""
    before, after = text[: place.start()], text[place.end() :]
    signs = {"$": "$", "&": place[0], "`": before, "'": after}
    return f"{before}{_SIGNS.sub(lambda sign: signs[sign[1]], inserted)}{after}"


class RowFilling:
    """Fills in one row. Blocks.

    `made` is the prompt that a program has made; None if the configuration contains the prompt.
    """

    def __init__(self, case: PromptfooRunnable, ports: Ports, filters: CustomFilters | None, made: str | None) -> None:
        self._case, self._ports, self._filters, self._made = case, ports, filters, made
        self._environment = Environment(case, ports)
        self._variables_of_env = template_variables(case, ports)
        self._is_off = is_on(ports.environment, DISABLE_TEMPLATING)

    def row(self) -> FilledRow:
        """The row. Raises Unscored."""
        variables = self._variables()
        prompt = self._prompt(variables)
        assertions = (self._assertion(each, variables, number) for number, each in enumerate(self._case.assertions))
        return FilledRow(prompt, variables, tuple(assertions))

    def _text(self, template: str, values: Mapping[str, Any], what: str, filters: CustomFilters | None = None) -> str:
        if self._is_off or ("{{" not in template and "{%" not in template and "{#" not in template):
            return template
        templates = Templates(values, self._variables_of_env, self._ports.sandbox, filters, is_plain=True)
        try:
            return templates.text(template) or ""
        except TemplateError as error:
            raise Unscored(f"{what}: {error}", at=self._case.case) from None

    def setting(self, value: Any, variables: Mapping[str, Any]) -> Any:
        """A setting of a model with the templates in it filled in, at any depth. Raises Unscored."""
        if isinstance(value, str):
            return self._text(value, variables, "a setting of the model")
        if isinstance(value, list):
            return [self.setting(item, variables) for item in value]
        return (
            {name: self.setting(item, variables) for name, item in value.items()} if isinstance(value, dict) else value
        )

    # Variables

    def _variables(self) -> dict[str, Any]:
        values = {name: self.value(name, value) for name, value in self._case.variables.items()}
        earlier = self._case.earlier
        values = {n: v.removesuffix("\n") if isinstance(v, str) else v for n, v in {**values, **earlier}.items()}
        for _ in range(_ROUNDS):
            changed = False
            for name, value in values.items():
                found = _NAME.search(value) if isinstance(value, str) else None
                if name in earlier:  # an output is no template
                    continue
                if found is not None and found[1] in values:
                    self._refuse_template(name, found[1], values[found[1]])
                    values[name], changed = _replaced(value, found, value_text(values[found[1]])), True
            if not changed:
                break
        return values

    def _refuse_template(self, name: str, other: str, value: Any) -> None:
        """Raises Unscored for an earlier output with a template, which promptfoo would fill in as a part of another variable."""
        if other in self._case.earlier and _TEMPLATE.search(value_text(value)):
            words = (
                f"the variable {name}: the output stored as {other} contains a template, which rubric does not fill in"
            )
            raise Unscored(words, at=self._case.case)

    def value(self, name: str, value: Any) -> Any:
        """A variable, read from its file if it names one. Raises Unscored."""
        if name in self._case.computed:
            return self._case.computed[name]
        if not isinstance(value, str) or not value.startswith(URL):
            return value
        path = value.lower()
        if path.endswith(_MEDIA):
            raise Unscored(
                f"rubric does not read media for variables of promptfoo: {name}: {value}", at=self._case.case
            )
        try:
            if path.endswith(_YAML):
                return json_text(self._case.matrix.configuration.external(value, self._case.files))
            return self._case.matrix.configuration.read(value, self._case.files).strip()
        except ConfigurationError as error:
            raise Unscored(f"the variable {name}: {error}", at=self._case.case) from None

    # Prompts

    def _prompt(self, variables: Mapping[str, Any]) -> str:
        sent, options = self._case.sent_prompt, self._case.test.part("options")
        text = f"{options.get('prefix') or ''}{sent.text if sent is not None else ''}{options.get('suffix') or ''}"
        text = text if self._made is None else self._made  # without prefix and suffix, as in promptfoo
        if is_on(self._ports.environment, _PLAIN_JSON):  # and templates in variables stay as they are
            return self._text(_closed(text), variables, "the prompt", self._filters)
        # What cannot be filled in as JSON, which custom filters cannot, is filled in as a text.
        if may_be_json(text):
            with suppress(ValueError, RecursionError, Unscored):
                return json_text(self._in_leaves(read_json(text), variables), indent=2)
        rendered = {n: self._in_variable(n, v, variables) for n, v in variables.items()}
        return self._text(_closed(text), rendered, "the prompt", self._filters)

    def _in_variable(self, name: str, value: Any, variables: Mapping[str, Any]) -> Any:
        if name in self._case.earlier:
            return value
        if not isinstance(value, str) or not _names_in(value) <= {*variables, "env"}:
            return value
        return self._text(_closed(value), variables, f"the variable {name}", self._filters)

    def _in_leaves(self, value: Any, variables: Mapping[str, Any]) -> Any:
        if isinstance(value, str):
            return self._text(value, variables, "the prompt")
        if isinstance(value, list):
            return [self._in_leaves(item, variables) for item in value]
        if isinstance(value, dict):
            return {name: self._in_leaves(item, variables) for name, item in value.items()}
        return value

    # Assertions

    def _assertion(
        self, assertion: PromptfooAssertion, variables: Mapping[str, Any], number: int
    ) -> PromptfooAssertion:
        made = PromptfooAssertion(assertion.span, assertion.node)
        vars(made).update(vars(assertion))
        made.members = tuple(self._assertion(each, variables, number) for each in assertion.members)
        try:
            made.settings = dict(self._settings(self._environment.settings(assertion, number), variables))
        except Unscored as problem:
            made.trouble = problem.reason
        except ConfigurationError as error:
            made.trouble = str(error)
        return made

    def _refuse_conversation(self, value: Any) -> None:
        """Raises Unscored for a value with the conversation, to which promptfoo adds the turn of the row before it fills the value in."""
        texts = value if isinstance(value, list) else [value]
        if "_conversation" in self._case.earlier and any(isinstance(t, str) and reads_conversation(t) for t in texts):
            raise Unscored("rubric does not fill `_conversation` into assertions of promptfoo")

    def _settings(self, settings: Mapping[str, Any], variables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, value in settings.items():
            if name == "value":
                self._refuse_conversation(value)
                yield name, self._compared(value, variables)
            elif name == "metric" and isinstance(value, str):
                yield name, self._metric(value, variables)
            else:
                yield name, value

    def _metric(self, name: str, variables: Mapping[str, Any]) -> str:
        """The name of a metric; a template that cannot be rendered is used verbatim."""
        with suppress(Unscored):
            return self._text(name, variables, "`metric`")
        return name

    def _compared(self, value: Any, variables: Mapping[str, Any]) -> Any:
        """A `value` with its templates filled in, or the content of its file; code is not loaded."""
        if isinstance(value, list):
            return [self._compared(item, variables) if isinstance(item, str) else item for item in value]
        if not isinstance(value, str):
            return value
        if not value.startswith(URL):
            return self._text(value, variables, "`value`")
        path = value.removeprefix(URL).partition(":")[0].lower()
        if path.endswith(_CODE):
            return value
        configuration = self._case.matrix.configuration
        if path.endswith((".json", *_YAML)):
            return configuration.external(value, self._case.files)
        if path.endswith(".txt"):
            return configuration.read(value, self._case.files).strip()
        raise ConfigurationError(f"promptfoo does not read {value.removeprefix(URL)} as a `value`")


def _names_in(template: str) -> set[str]:
    template = _without_comments(template)
    found = {first or second for first, second in _IN_TEMPLATE.findall(template)}
    for item, items in _LOOP.findall(template):
        found.discard(item)
        found.add(items)
    return {root[0] for each in found if (root := _ROOT.match(each)) is not None}


def _without_comments(template: str) -> str:
    begin, *parts = template.split("{#")
    ends = [(part, *part.partition("#}")[1:]) for part in parts]
    return "".join((begin, *(rest if closed else f"{{#{part}" for part, closed, rest in ends)))


def _closed(template: str) -> str:
    """The template, marked as raw where a tag is not closed: promptfoo sends such a text unchanged."""
    if _OPEN.search(template) and not _RAW.search(template):
        return f"{{% raw %}}{template}{{% endraw %}}"
    return template
