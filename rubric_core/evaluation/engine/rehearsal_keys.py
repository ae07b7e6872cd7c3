"""Which cases are alike for a rehearsal: those that differ in texts alone do the same to the outside world.

A key holds everything that is not known to be a text that only a model or a comparison reads, so that an unknown setting
costs a rehearsal and is never missed. The family of a case makes its keys, see `FamilyRunner`.
"""

from collections.abc import Hashable, Iterable

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.attempt import graders_of
from rubric_core.evaluation.engine.family_runner import runner_of
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.ports import Files

__all__ = ["RehearsalKeys"]


class RehearsalKeys:
    """The keys of the cases that were rehearsed.

    Args:
        files: Reads targets.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._seen: set[Hashable] = set()

    def base(self, case: Runnable) -> Hashable:
        """What the case itself does, besides its graders."""
        return runner_of(case).case_key(case, self._files)

    def is_new(self, key: Hashable) -> bool:
        """Whether nothing with this key was rehearsed. It counts as rehearsed from then on."""
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new

    def new_graders(self, case: Runnable, base: Hashable) -> dict[Hashable, EvaluatorConfig]:
        """The graders of a case that may act and were not rehearsed, by their keys; those that failed for its kind are not tried again."""
        found: dict[Hashable, EvaluatorConfig] = {}
        runner = runner_of(case)
        for config in graders_of(case):
            key = runner.grader_key(config, case)
            whole = (id(case.facts), key)
            if key is not None and whole not in self._seen and self.is_new((base, key)):
                found[whole] = config
        return found

    def graded(self, keys: Iterable[Hashable]) -> None:
        """Graders were rehearsed."""
        self._seen.update(keys)

    def has_templates(self, case: Runnable) -> bool:
        """Whether templates of the case itself are filled in before it is graded."""
        text = case.facts.of_text(case.text)
        return text.has_templates or text.has_dollar_braces
