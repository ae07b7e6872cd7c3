"""The prompts, providers and graders of a configuration, converted for the suite, with the meaning of references to them."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rubric_core.families.promptfoo.migration.conversion import NotCarriedError, Notes
from rubric_core.families.promptfoo.migration.scripts import transform_code
from rubric_core.families.promptfoo.migration.source import (
    SourceConfiguration,
    SourceFile,
    SourcePrompt,
    SourceProvider,
)
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL

__all__ = ["GraderNames", "NamedParts", "provider_entry", "provider_note"]

#: A command that returns the prompt; AgentV reads an answer from the file.
_ECHO = "cat {PROMPT_FILE} > {OUTPUT_FILE}"
_VARIABLE = pattern(r"\$\{\{\s*(\w+)\s*\}\}")
_TEMPLATE = pattern(r"\{\{")
_EXEC = "exec:"
#: Coding agents, and the settings that have another name in AgentV, or the same.
_AGENTS: Mapping[str, str] = {
    "anthropic:claude-agent-sdk": "claude-sdk", "anthropic:claude-code": "claude-sdk", "openai:codex-sdk": "codex-sdk",
}  # fmt: skip
_AGENT_SETTINGS: Mapping[str, str] = {
    "model": "model", "working_dir": "cwd", "max_turns": "max_turns", "max_budget_usd": "max_budget_usd",
    "sandbox_mode": "sandbox_mode", "approval_policy": "approval_policy", "model_reasoning_effort": "model_reasoning_effort",
}  # fmt: skip


def provider_entry(
    provider: SourceProvider, prompts: Sequence[str] | None, file: SourceFile, notes: Notes
) -> dict[str, Any] | str:
    """The entry of a provider in the suite; only its name where AgentV has no such kind."""
    line = file.line_of(provider.node.span.start)
    entry: dict[str, Any] = {}
    if provider.id == "echo":
        entry = {"id": "cli", "label": provider.name, "config": {"command": _ECHO}}
    elif provider.id.startswith(_EXEC):
        entry = {
            "id": "cli",
            "label": provider.name,
            "config": {"command": f"{provider.id.removeprefix(_EXEC).strip()} {{PROMPT}} > {{OUTPUT_FILE}}"},
        }
        notes.add(
            file.shown,
            line,
            f"`{provider.id}`: AgentV runs it in a shell, with the prompt alone as its argument: look at what the program reads",
        )
    elif provider.id in _AGENTS:
        known = {_AGENT_SETTINGS[name]: value for name, value in provider.config.items() if name in _AGENT_SETTINGS}
        entry = {"id": _AGENTS[provider.id], "label": provider.name, **({"config": known} if known else {})}
        provider = provider._replace(unsent=tuple(name for name in provider.config if name not in _AGENT_SETTINGS))
    elif provider.kind:
        entry = {"id": provider.kind, "label": provider.name, "config": _settings(provider, file, line, notes)}
    for name in provider.unsent:
        notes.add(
            file.shown,
            line,
            f"`config.{name}` of {provider.id} is not carried over: look whether AgentV's `{entry.get('id', provider.id)}` has it",
        )
    if not entry:
        notes.add(file.shown, line, provider_note(provider))
        return provider.name
    if prompts is not None:
        entry["prompts"] = list(prompts)
    if provider.transform:
        try:
            entry["transform"] = transform_code(provider.transform)
        except NotCarriedError as error:
            notes.add(file.shown, line, f"the `transform` of {provider.id} is not carried over: {error}")
    if provider.delay > 0:
        entry["delay"] = provider.delay
    return entry


def provider_note(provider: SourceProvider) -> str:
    """What to do about a provider without an equivalent."""
    return (
        f"the provider {provider.id} has no equivalent in AgentV: write one with the label `{provider.name}` in .agentv/providers.yaml, "
        "such as a `cli` that runs a program (`rubric run` also calls `http` and `python`)"
    )


def _settings(provider: SourceProvider, file: SourceFile, line: int, notes: Notes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in provider.settings.items():
        if name == "api_key" and not _TEMPLATE.search(str(value)):
            notes.add(
                file.shown,
                line,
                f"the key in `config.apiKey` of {provider.id} is not copied: put it in a variable, as in `api_key: '{{{{ env.API_KEY }}}}'`",
            )
            continue
        found[name] = _VARIABLE.sub(r"{{ env.\1 }}", value) if isinstance(value, str) else value
    return found


class GraderNames:
    """The names of the providers that grade. One that only grades goes into a separate file, as AgentV requires."""

    def __init__(self, find: Callable[[Any], SourceProvider | None], answering: Sequence[SourceProvider]) -> None:
        self._find, self._answering = find, {each.name for each in answering}
        self._words: dict[str, str] = {}

    def name(self, written: Any) -> str | None:
        """The name of a grader by how it is written; None for the usual one."""
        if isinstance(written, dict) and "id" not in written and "text" in written:
            written = written["text"]
        found = self._find(written) if written is not None else None
        if found is None:
            return None
        if found.name not in self._answering:
            self._words[found.name] = f"`{found.name}` grades: add it to .agentv/providers.yaml{_example(found)}"
        return found.name

    def notes(self, keys: Mapping[str, Any]) -> list[str]:
        """What to do about the graders of an evaluator and its members."""
        members = keys.get("assert")
        names = [keys.get("provider"), *(each.get("provider") for each in members or ())]
        return [self._words[name] for name in names if isinstance(name, str) and name in self._words]


def _example(grader: SourceProvider) -> str:
    if not grader.kind:
        return ""
    return f", as `{{id: {grader.kind}, label: '{grader.name}', config: {{model: {grader.settings.get('model')}, …}}}}`"


class NamedParts:
    """The prompts and providers; a prompt that something refers to gets its label written."""

    def __init__(self, source: SourceConfiguration, notes: Notes) -> None:
        self._source, self._file, self._notes = source, source.file, notes
        self._labelled: set[int] = set()

    def prompts(self, options: Mapping[str, Any]) -> list[Any]:
        """The prompts that are carried over; `options` are those of `defaultTest`, whose prefix and suffix they get."""
        around = {name: options[name] for name in ("prefix", "suffix") if isinstance(options.get(name), str)}
        found: list[Any] = []
        for number, prompt in enumerate(self._source.prompts):
            line = self._file.line_of(prompt.node.span.start)
            if prompt.trouble:
                self._notes.add(self._file.shown, line, f"the prompt {prompt.label} is left out: {prompt.trouble}")
                continue
            written = self._prompt_value(prompt, line)
            if number in self._labelled or prompt.is_labelled or around:
                if isinstance(written, list):
                    words = f"AgentV sends the messages of the prompt {prompt.label} as one text: it knows no label for messages"
                    self._notes.add(self._file.shown, line, words)
                    written = prompt.text
                written = {"label": prompt.label, "path" if prompt.path else "raw": written, **around}
            is_own = sum(each.node.span == prompt.node.span for each in self._source.prompts) == 1
            found.append(self._file.comments.around(prompt.node, written) if is_own else written)
        return found

    def _prompt_value(self, prompt: SourcePrompt, line: int) -> Any:
        """A text, a file, or the messages that a text is."""
        if "_conversation" in prompt.text:
            words = "AgentV fills in no `_conversation`: write the conversation as `turns` of a case"
            self._notes.add(self._file.shown, line, words)
        if prompt.is_function:
            words = f"AgentV gives the function {prompt.path} `vars` and `provider` only"
            self._notes.add(self._file.shown, line, words)
        for name in () if prompt.is_function else prompt.settings:
            words = f"`config.{name}` of the prompt {prompt.label} is not carried over: write it under `config` of a provider"
            self._notes.add(self._file.shown, line, words)
        if prompt.path:
            return f"{URL}{prompt.path}"
        if not prompt.text.lstrip().startswith("["):
            return prompt.text
        try:
            messages = json.loads(prompt.text)
        except (ValueError, RecursionError):
            return prompt.text
        is_chat = isinstance(messages, list) and messages and all(isinstance(m, dict) and "role" in m for m in messages)
        return messages if is_chat else prompt.text

    def providers(self) -> list[Any]:
        """The providers: entries, or the names of those without an equivalent in AgentV."""
        found: list[Any] = []
        for each in self._source.providers:
            prompts = self.prompt_labels(each.prompts) if each.prompts is not None else None
            entry = provider_entry(each, prompts, self._file, self._notes)
            is_own = sum(other.node.span == each.node.span for other in self._source.providers) == 1
            found.append(self._file.comments.around(each.node, entry) if is_own else entry)
        return found

    def prompt_labels(self, references: Sequence[Any]) -> list[str] | None:
        """The labels of the prompts that references mean; None for nothing that is carried over."""
        prompts = self._source.prompts
        known = [n for each in references for n, p in enumerate(prompts) if _means(each, p.names) and not p.trouble]
        self._labelled.update(known)
        return list(dict.fromkeys(prompts[n].label for n in known)) or None

    def provider_names(self, references: Sequence[Any]) -> list[str] | None:
        """The names of the providers that references mean; None for none."""
        found = [p.name for each in references for p in self._source.providers if _means(each, (p.label, p.id))]
        return list(dict.fromkeys(found)) or None


def _means(reference: Any, names: Sequence[str]) -> bool:
    """Whether a reference matches a name: equal, by `prefix*`, or by the part before `:`."""
    if not isinstance(reference, str):
        return False
    begin = reference[:-1] if reference.endswith("*") else f"{reference}:"
    return any(name and (name == reference or name.startswith(begin)) for name in names)
