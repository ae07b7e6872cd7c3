"""The labels by which cases are selected: tags and metadata, with those of the suite."""

from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.model.metadata import with_inherited
from rubric_core.language.shape import as_list
from rubric_core.syntax.plain_data import plain

__all__ = ["metadata_of", "tags_of"]


def metadata_of(case: Runnable) -> Mapping[str, Any]:
    """The metadata of a case, with that of its default test and of its suite."""
    own, default = case.case.metadata, case.defaults
    shared = default.metadata if default is not None else None
    inherited = case.facts.metadata_of(case.suite, case.suite_anchors)
    inherited = with_inherited(_mapping(shared, case.suite_anchors), inherited)
    return with_inherited(_mapping(own, case.anchors), inherited)


def tags_of(case: Runnable) -> tuple[str, ...]:
    """The distinct tags of a case: its own, those of its suite, and those under `metadata: {tags: …}`.

    Tags that are a mapping, such as `{team: billing}`, are `team` and `team=billing`.
    """
    written = plain(case.suite.tags, case.suite_anchors) if case.suite.tags else None
    return tuple(dict.fromkeys([*_words(written), *_words(metadata_of(case).get("tags"))]))


def _mapping(written: Any, anchors: Mapping[str, Any]) -> Mapping[str, Any]:
    found = plain(written, anchors) if written else None
    return found if isinstance(found, dict) else {}


def _words(written: Any) -> Iterator[str]:
    if isinstance(written, dict):
        for name, value in written.items():
            yield str(name)
            yield f"{name}={_text(value)}"
    else:
        yield from (_text(each) for each in as_list(written) if isinstance(each, str | int | float))


def _text(value: Any) -> str:
    """A value as YAML writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
