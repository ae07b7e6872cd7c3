"""What a script hands over as plain data, read into what evaluators get: cases, targets, inputs (REQ-EVAL-004)."""

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from rubric_core.evaluation.context import PromptInputs, ResolvedTarget
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.model import Case
from rubric_core.loading.issues import MissingKey
from rubric_core.loading.lower import Lowering
from rubric_core.ports import ChatMessage
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping as MappingNode

__all__ = ["case_of", "inputs_of", "target_of"]


def case_of(given: object, dialect: Dialect | None) -> tuple[Case, Dialect | None]:
    """A case, and the dialect that it is read in.

    A mapping with the keys of a case is read as YAML is, in `dialect`, or without one in the newest that knows most of its
    keys. Raises TypeError for what is neither a case nor a mapping.
    """
    if isinstance(given, Case):
        return given, dialect
    if not isinstance(given, Mapping):
        raise TypeError(f"eval_case is a case of a suite, or a mapping with its keys; found {type(given).__name__}")
    text = json.dumps(dict(given), ensure_ascii=False, default=str)
    readings = [_read(text, each) for each in ([dialect] if dialect is not None else reversed(DIALECTS))]
    _, case, found = min(readings, key=lambda reading: reading[0])
    return case, found


def _read(text: str, dialect: Dialect) -> tuple[int, Case, Dialect]:
    """How many things are wrong with a case in a dialect, and what it is there."""
    tree = parse(text)
    lowering = Lowering(text, dialect, DIALECTS, tree.anchors)
    assert isinstance(tree.root, MappingNode)
    case = lowering.shape(Case, tree.root)
    assert isinstance(case, Case)
    # A script says what it needs: what is missing tells nothing about the dialect.
    return sum(not isinstance(issue, MissingKey) for issue in lowering.issues), case, dialect


def target_of(given: Any) -> ResolvedTarget:
    """A target by its name, or of a mapping with `name`, `provider` (or `kind`) and its other settings; anything else as it is."""
    if isinstance(given, str):
        return ResolvedTarget(name=given, kind="")
    if not isinstance(given, Mapping):
        return given  # type: ignore[no-any-return]  # a target, or whatever else has a name and a kind
    kind = given.get("kind", given.get("provider", ""))
    settings = {name: value for name, value in given.items() if name not in ("name", "kind", "provider")}
    return ResolvedTarget(
        name=str(given.get("name", "")), kind=str(kind), grader_target=given.get("grader_target"), settings=settings
    )


def inputs_of(given: Any, case: Case) -> PromptInputs:
    """The input of a case: a text, or a mapping with fields of `PromptInputs`; anything else as it is.

    What a mapping does not say is taken from the case, where its input is a text. Its other keys are left alone.
    """
    if isinstance(given, str):
        return PromptInputs(question=given, messages=(ChatMessage("user", given),))
    if given is not None and not isinstance(given, Mapping):
        return given  # type: ignore[no-any-return]  # inputs, or whatever else has their fields
    known = {field.name for field in fields(PromptInputs)}
    written = {"question": case.input, "reference_answer": case.expected_output}
    own = {name: value for name, value in written.items() if isinstance(value, str)}
    return PromptInputs(**{"question": "", **own, **{n: v for n, v in (given or {}).items() if n in known}})
