"""The deliberate differences from the releases of AgentV from 5 on, found by reading its source.

npm has none of these releases, so that `make parity` cannot run one. `docs/departures.md` shows these rows in a section of
their own.
"""

from collections.abc import Sequence

from rubric_core.language.departure import Departure

__all__ = ["DEPARTURES_FROM_5"]

DEPARTURES_FROM_5: Sequence[Departure] = (
    Departure(
        "vars-in-code",
        (),
        "The `context` of JavaScript, Python and webhooks has no `vars`; code that reads them fails, and scores 0.",
        "It has the `vars` of the case, as in promptfoo.",
        "A check that depends on the case needs its values.",
    ),
    Departure(
        "failed-code",
        (),
        "JavaScript and Python that fail score 0.",
        "The check is unscored, with the error, and the case does not pass.",
        "Code that failed learned nothing about the answer.",
    ),
    Departure(
        "expected-output-in-vars",
        (),
        "`vars.expected_output` is only a variable: `field-accuracy` finds no expected fields and scores 0, and programs get an empty `expected_output`.",
        "It is the expected output of the case too.",
        "AgentV's own message about a removed `expected_output` says to write it there.",
    ),
    Departure(
        "empty-values",
        (),
        "Replaces a name without a value by an empty text, and drops an evaluator whose `value` is empty then.",
        "The case is unscored.",
        "A case that lost a check passes more easily than one that has it.",
    ),
    Departure(
        "names-of-judges",
        (),
        "Replaces `{{ output }}` and its like in the judge's prompt of a case by nothing, where the case has `vars`.",
        "They are filled in when the judge is asked, as in prompts of files and suites.",
        "A judge that sees no answer makes up a score.",
    ),
    Departure(
        "vars-in-suite-assertions",
        (),
        "Fills the `vars` of a case into its own assertions only; in those of the suite and of `default_test` they stay as written.",
        "Fills them in everywhere.",
        "An assertion for all cases is written for the values of each.",
    ),
    Departure(
        "mappings-in-texts",
        (),
        "A variable that is a mapping appears in a longer text as `[object Object]`.",
        "It appears as JSON.",
        "No model is meant to be asked about `[object Object]`.",
    ),
    Departure(
        "forms-of-prompts",
        (),
        "Ignores the `prefix` and `suffix` of a prompt, and refuses to run one that has only `path`, though its schema has these keys.",
        "Reads all of them.",
        "They can mean only one thing.",
    ),
    Departure(
        "providers-of-cases",
        (),
        "Ignores the `provider` and `providers` of a case and of `default_test`: the providers of the run answer.",
        "They answer the case, by name or as they are described there.",
        "The case says who answers it.",
    ),
)
