"""The prompts and providers of a configuration, converted for the suite, with the meaning of references to them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.families.promptfoo.migration.notes import Notes
from rubric_core.families.promptfoo.migration.source import SourceConfiguration, SourcePrompt
from rubric_core.families.promptfoo.migration.targets import provider_entry
from rubric_core.loading.directory_search import URL

__all__ = ["NamedParts"]


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
