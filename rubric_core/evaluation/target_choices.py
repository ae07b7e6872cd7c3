"""The targets of a matrix: one that answers under several names is several targets."""

from rubric_core.language.model import Case, Execution, Suite, TargetChoice
from rubric_core.loading.targets import Home, TargetEntry

__all__ = ["choices_of", "chosen_as", "other_names"]


def other_names(suite: Suite, home: Home) -> list[TargetEntry]:
    """An entry for each name that a matrix gives to another target, pointing to that one; `home` is the suite."""
    found = []
    for each in choices_of(suite):
        if each.use_target and each.name and each.name != each.use_target and each.node is not None:
            spans = {"use_target": each.at("use_target")}
            pointer = {"use_target": each.use_target}
            found.append(TargetEntry(each.name, "", pointer, each.at("name"), home, each.node, spans))
    return found


def choices_of(shape: Suite | Case) -> list[TargetChoice]:
    """The targets of a matrix that say more about themselves than a name."""
    written = shape.execution.targets if isinstance(shape.execution, Execution) else None
    return [each for each in written or () if isinstance(each, TargetChoice)]


def chosen_as(name: str, shape: Suite | Case) -> TargetChoice | None:
    """The one of a matrix that answers under that name."""
    choices = choices_of(shape)
    by_name = (each for each in choices if each.name == name)
    return next(by_name, next((each for each in choices if each.use_target == name), None))
