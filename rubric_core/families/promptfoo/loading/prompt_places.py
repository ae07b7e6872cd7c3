"""The places of prompts in a promptfoo configuration, and the files that they are in."""

from collections.abc import Iterable
from pathlib import Path

from rubric_core.families.promptfoo.language.configuration import ConfiguredPrompt
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.listed_entries import path_sign, without_member
from rubric_core.families.promptfoo.loading.case_files import DATA, has_no_prompt, kind_of_prompt, unread_columns
from rubric_core.families.promptfoo.loading.case_places import CasePlaces
from rubric_core.families.promptfoo.loading.lookup import CODE_FILES, OPEN_SIGNS
from rubric_core.families.promptfoo.loading.provider_places import EXEC
from rubric_core.language.shape import FieldPlace
from rubric_core.loading.block_references import OutsideText
from rubric_core.loading.directory_search import URL, is_pattern
from rubric_core.loading.reference_issues import (
    EmptyFile,
    PathLikePrompt,
    PromptFileText,
)
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["PromptPlaces"]


class PromptPlaces(CasePlaces):
    """Collects the files of prompts, beside those of cases and providers."""

    def prompts(self, place: FieldPlace) -> None:
        """The prompts of a configuration."""
        if isinstance(place.node, Mapping):
            self.outside.append(OutsideText("prompt", place.node))
            for entry in place.node.entries:
                found = self.needs(
                    entry.key,
                    STOPS,
                    bare=bool(entry.name and path_sign(entry.name)),
                    folders=True,
                    makes=True,
                    exported="function",
                    role="prompt",
                )
                if found:
                    self._prompt_files(entry.key, entry.key, found)
            return
        for node in place.node.items if isinstance(place.node, Sequence) else [place.node]:
            if isinstance(node, Scalar) and isinstance(node.value, str):
                self._prompt(node)

    def _prompt(self, node: Scalar) -> None:
        text = node.text
        self.included(node)
        sign = path_sign(text)
        if any(each in text for each in ("portkey://", "langfuse://", "helicone://")) or text.startswith(EXEC):
            self.outside.append(OutsideText("prompt", node))
        if text.startswith(EXEC):
            self.command(node)
        if not sign or text.startswith(EXEC):
            return
        name = without_member(text.removeprefix(URL))
        found = self.sent(node, name, folders=True, makes=True)
        if found:
            self._prompt_files(node, node, found)
            self.program(
                node, name, found, ROW_ERRORS if name.endswith(".py") else STOPS, exported="function", role="prompt"
            )
        elif found is None and not self._is_only_template(text):
            self.outside.append(OutsideText("prompt", node))
        elif is_pattern(name) and not text.startswith(URL) and " " in text.strip():
            return  # a prompt with `*`: it is used verbatim
        elif not text.startswith(URL) and (" " in text.strip() or "{{" in text):
            self.issues.append(PathLikePrompt(span=node.span, node=node, sign=sign))
        else:
            self.missing(node, name, "promptfoo sends the pattern itself as the prompt" if is_pattern(name) else STOPS)
            self.outside.append(OutsideText("prompt", node))

    @staticmethod
    def _is_only_template(text: str) -> bool:
        """Whether a text that looks like a path is a template, in which only the environment is filled in so early."""
        is_open = any(each in text for each in OPEN_SIGNS)
        return is_open and (" " in text or (not text.startswith(URL) and "env" not in text))

    def _prompt_files(self, node: Node, at: Node, paths: Iterable[Path]) -> None:
        paths = tuple(paths)
        self.files.update((path, kind) for path in paths if (kind := kind_of_prompt(path)) is not None)
        unchecked = [path for path in paths if not self._is_checked(path)]
        self._prompt_texts(at, unchecked)
        texts = {p: self.look.text(p) for p in paths if p.suffix not in (*CODE_FILES, ".sh")}
        whole = len(texts) == len(paths) and None not in texts.values()
        inner = {path: text for path, text in texts.items() if text is not None} if whole else {}
        if isinstance(at, Scalar):
            for text in inner.values():
                self.included_in(text, at)
        if len(paths) == 1 and paths[0] in inner:
            self._without_prompt(at, paths[0], inner[paths[0]])
        rest = tuple(inner[path] for path in unchecked if path in inner)
        self.outside.append(OutsideText("prompt", node, tuple(inner.values()) if whole else None, rest))

    def _without_prompt(self, at: Node, path: Path, text: str) -> None:
        reason = unread_columns(path, text)
        if reason or has_no_prompt(path, text):
            name = self.relative(path)
            self.issues.append(EmptyFile(span=at.span, name=name, reason=reason, consequence=STOPS))

    def _is_checked(self, path: Path) -> bool:
        """Whether the mistakes in a prompt file are reported there."""
        kind = kind_of_prompt(path)
        return kind is not None and self.look.is_checked(path, kind)

    def _prompt_texts(self, at: Node, paths: Iterable[Path], *, of_judges: bool = False) -> None:
        """The texts of prompts, whose templates are judged where the files are named."""
        for path in paths:
            text = self.look.text(path) if path.suffix not in CODE_FILES else None
            if text is not None and ("{{" in text or "{%" in text or "}}" in text or path.suffix in (*DATA, ".jsonl")):
                name = self.relative(path)
                self.issues.append(PromptFileText(span=at.span, name=name, text=text, is_of_judges=of_judges))

    def prompt(self, shape: ConfiguredPrompt) -> None:
        """A prompt with a label."""
        raw = shape.places.get("raw")
        in_file = raw is not None and isinstance(raw.node, Scalar) and raw.node.text.startswith(URL)
        place = raw if in_file else shape.places.get("id")
        if raw is not None and not raw.borrowed:
            self.included(raw.node)
        if shape.node is None or (raw is not None and not in_file) or place is None or place.borrowed:
            return
        if not isinstance(place.node, Scalar):
            return
        found = self.needs(
            place.node,
            STOPS,
            bare=bool(path_sign(place.node.text)),
            folders=True,
            makes=True,
            exported="function",
            role="prompt",
        )
        if found:
            self._prompt_files(shape.node, place.node, found)
        elif not found:
            self.outside.append(OutsideText("prompt", shape.node))
