"""several-sources: a replay that plays more than one recording."""

from collections.abc import Iterator

from rubric_core.language.providers import Replay
from rubric_core.validation.rule import Context, Finding, Related, rule

__all__ = ["SEVERAL_SOURCES"]


@rule("several-sources", "error", "A replay of more than one recording")
def SEVERAL_SOURCES(replay: Replay, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """One of its sources, and only one."""
    written = [field for field, declared in Replay.keys.items() if declared.group == "source" and replay.has(field)]
    for field in written[1:]:
        yield Finding(
            replay.key_at(field),
            f"a replay has one source; `{replay.places[written[0]].name}` stands there already",
            related=(Related(replay.key_at(written[0]), "this one"),),
            consequence="agentv refuses the file",
        )
