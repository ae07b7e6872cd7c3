"""Converts providers and graders of promptfoo into providers of agentv-5."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rubric_core.families.promptfoo.migration.conversion import NotCarriedError
from rubric_core.families.promptfoo.migration.notes import Notes
from rubric_core.families.promptfoo.migration.scripts import transform_code
from rubric_core.families.promptfoo.migration.source import SourceFile, SourceProvider
from rubric_core.lazy_compilation import pattern

__all__ = ["GraderNames", "provider_entry", "provider_note"]

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
