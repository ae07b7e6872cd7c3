"""several-sources: a replay that plays more than one recording."""

from collections.abc import Iterator

from rubric_core.language.providers import Replay
from rubric_core.syntax.tree import Mapping, Node, walk
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["SEVERAL_SOURCES"]


@rule("several-sources", "error", "A replay of more than one recording")
def SEVERAL_SOURCES(replay: Replay, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """One of its sources, and only one."""
    written = [field for field, declared in Replay.keys.items() if declared.group == "source" and replay.has(field)]
    for field in written[1:]:
        first, second = replay.places[written[0]], replay.places[field]
        fixes = (
            *remove_key_fix(
                _mapping(replay, second.node), second.name, context, f"keep `{first.name}`, remove `{second.name}`"
            ),
            *remove_key_fix(
                _mapping(replay, first.node), first.name, context, f"keep `{second.name}`, remove `{first.name}`"
            ),
        )
        yield Finding(
            replay.key_at(field),
            f"a replay has one source, and `{replay.places[written[0]].name}` is already set",
            fixes=() if replay.borrowed or first.borrowed or second.borrowed else fixes,
            related=(Related(replay.key_at(written[0]), "this one"),),
            consequence="agentv rejects the file",
        )


def _mapping(replay: Replay, value: Node) -> Mapping | None:
    """The mapping that has a value: the provider itself, or its `config`."""
    inner = (n for n in walk(replay.node) if isinstance(n, Mapping))
    return next((n for n in inner if any(e.value is value for e in n.entries)), None)
