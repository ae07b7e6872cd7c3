"""The deliberate differences between rubric and AgentV.

`docs/departures.md`, `rubric explain` and `make parity` use this list.

Every row of `DEPARTURES` was measured with agentv 4.42.4; `make parity` compares again and fails for a row that no longer
holds. Of the releases from 5 on, which npm does not have, the source was read.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from rubric_core.lazy_compilation import dataclass

__all__ = ["DEPARTURES", "DEPARTURES_FROM_5", "Departure", "DifferenceKind", "departures_of"]

#: What a run with both programs can show differently.
DifferenceKind = Literal[
    "case presence", "case unscored", "case verdict", "case score", "answer",
    "evaluator list", "evaluator unscored", "evaluator verdict", "evaluator score", "criterion",
    "program input", "model request",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Departure:
    """One deliberate difference."""

    #: The anchor of its row, and its name in `make parity`.
    id: str
    #: The kinds of difference that it may explain: `make parity` fails where it is given as the reason of another.
    explains: tuple[DifferenceKind, ...]
    agentv: str
    rubric: str
    why: str
    #: The related codes of `rubric check`.
    codes: tuple[str, ...] = ()


DEPARTURES: Sequence[Departure] = (
    # --- the suite
    Departure(
        "mistakes-unscored",
        ("case unscored", "evaluator list", "evaluator unscored", "model request"),
        "Drops a malformed evaluator or criterion, or takes a value of another type, with a warning at most; the rest decides.",
        "The case is unscored, and the mistake is reported with its line.",
        "A case that lost a check passes more easily than one that has it.",
        (
            "wrong-type",
            "invalid-value",
            "missing-key",
            "bad-weight",
            "all-weights-zero",
            "criterion-without-text",
            "empty-rubric",
            "duplicate-criterion-id",
            "gate-out-of-range",
            "trajectory-setting",
            "aggregator-setting",
        ),
    ),
    Departure(
        "dropped-cases",
        ("case presence",),
        "Leaves a malformed case out of the run, with a line on standard error; the others decide the exit code.",
        "The case is in the results, unscored, and the mistake is reported with its line.",
        "A suite that silently gets shorter looks as green as before.",
        (
            "overlapping-bands",
            "gapped-bands",
            "bands-not-from-zero",
            "band-bounds",
            "reversed-band",
            "malformed-band",
            "missing-file",
        ),
    ),
    Departure(
        "one-bad-case",
        ("case presence", "case unscored"),
        "Some mistakes of one case end the whole run: bands of an inline rubric that do not start at 0, a circle of dependencies or one that does not exist, a file of cases that is missing or cannot be read.",
        "The other cases run.",
        "A mistake in one case says nothing about the others.",
        ("bands-not-from-zero", "dependency", "broken-cases", "missing-file"),
    ),
    Departure(
        "missing-inputs",
        ("case unscored", "evaluator list"),
        "Leaves a missing file out of the input, with a warning, and grades the answer to the rest.",
        "The case is unscored, and the file is named.",
        "An answer to half of a question says nothing about the whole.",
        ("missing-file",),
    ),
    Departure(
        "images",
        ("case unscored", "evaluator list"),
        "Leaves an image out of what a target is sent, and grades the answer to the rest.",
        "The case is unscored: rubric sends no images either.",
        "An answer to half of a question says nothing about the whole.",
        ("no-effect",),
    ),
    Departure(
        "static-directories",
        ("case unscored", "evaluator list"),
        "Creates the directory of a workspace with `mode: static` that does not exist, with its template and repositories, and works there.",
        "The case is unscored, and the directory is named.",
        "A run makes no directories in a project; an empty one was hardly meant.",
        ("missing-file",),
    ),
    Departure(
        "files-beside-messages",
        ("case presence",),
        "Leaves out a case that has `input_files`, its own or those of the suite, and an `input` that is not a string.",
        "Runs it, with the files before the first message of the user; `rubric check` warns.",
        "The case says what is asked.",
        ("nothing-asked",),
    ),
    Departure(
        "failed-dependencies",
        ("case unscored",),
        "A case with `on_dependency_failure: fail` is an error where a dependency could not be scored, as one with `skip`.",
        "It fails, with the score 0.",
        "`fail` is written where `skip` is not meant.",
    ),
    Departure(
        "duplicate-ids",
        ("case presence", "case unscored"),
        "Runs none of the cases that share an id: each is an error.",
        "Runs the first; the others are unscored, under names of their own (`a~2`).",
        "The file shows which is the first, and the second is the mistake.",
        ("duplicate-case-id",),
    ),
    Departure(
        "cases-without-criteria",
        ("case presence",),
        "Leaves out a case that has none of `criteria`, `expected_output`, `assertions` and `turns`, also where it has `rubrics`, `evaluators` or assertions of the suite.",
        "Runs it, graded by what it has.",
        "The case says how it is graded.",
    ),
    Departure(
        "older-spellings",
        ("case score", "evaluator list", "model request"),
        "Drops evaluators under type names of earlier releases, such as `code-judge`, with a warning at most; leaves variables of earlier releases, such as `{{ answer }}`, in prompts as they are.",
        "Reads them; `rubric check` names the new spelling, with a fix.",
        "A suite that was not migrated is graded as intended.",
        ("renamed-type", "template-variable"),
    ),
    Departure(
        "composite-members",
        ("case verdict", "case score", "evaluator list", "evaluator score"),
        "Drops members of a composite without a name, under a type in snake_case, or written as a string; ignores `negate` of a member.",
        "All of them are members; `rubric check` warns where agentv would drop one.",
        "A member that is written and does not count makes a false pass.",
        ("composite-member",),
    ),
    Departure(
        "templates",
        ("case presence",),
        "Refuses a template of assertions that is a plain list, and a path to one without `./`.",
        "Reads both.",
        "It can mean only one thing.",
        ("unknown-template",),
    ),
    Departure(
        "unset-variables",
        ("case unscored", "evaluator list"),
        "Replaces an environment variable of a suite that is not set by an empty text.",
        "The case is unscored, and the variable is named.",
        "An assertion with an empty text holds for every answer.",
    ),
    # --- scores and verdicts
    Departure(
        "gates-of-criteria",
        ("case verdict",),
        "A criterion that is required, or has a minimum, and is not met fails its rubric; the case passes where the mean of all graders reaches the threshold.",
        "It fails the case too, whatever the mean. The score stays.",
        "Authors who write `required` mean that nothing makes up for it.",
        ("required-without-minimum", "gate-inside-band"),
    ),
    Departure(
        "suite-threshold",
        ("case verdict",),
        "Marks cases by 0.8 where only the suite has a threshold, `execution.threshold`; the exit code and the line RESULT follow that of the suite.",
        "The verdict of a case follows the threshold of the suite too.",
        "A case that the exit code counts as passed has not failed, and the other way round.",
    ),
    Departure(
        "verdicts-of-evaluators",
        ("evaluator verdict",),
        "Shows an evaluator as passed from 0.8, whatever its `min_score` and the threshold of the case.",
        "Shows it as passed from its `min_score`, else from the threshold of the case or suite; one with an unmet gate as failed.",
        "The mark beside a line follows what is written on it. Scores and the verdict of the case do not depend on it.",
    ),
    Departure(
        "criteria-met",
        ("criterion",),
        "Shows a criterion with bands as met from 7 points, whatever its minimum.",
        "Shows it as met from its own minimum.",
        "Six points of the six that are required are not a miss.",
        ("required-without-minimum",),
    ),
    Departure(
        "sums-of-weights",
        ("case verdict",),
        "Compares the mean with the threshold as binary fractions have it: weights of 0.1 and 0.7 that are met make 0.7999…, and fail 0.8.",
        "Compares with a tolerance of 1e-9.",
        "Nobody who writes 0.1 + 0.7 means less than 0.8.",
    ),
    Departure(
        "verdicts-of-trials",
        ("case verdict", "evaluator score"),
        "A case with `trials` passes where one attempt passed, also where its score (the mean, or the bound of the interval) is below the threshold. Its evaluators are those of the best attempt.",
        "The verdict follows the score. An evaluator shows the mean of its scores.",
        "A score below the threshold that passes cannot be understood, nor one that its evaluators do not explain.",
    ),
    Departure(
        "turns-in-results",
        ("evaluator list", "evaluator unscored", "criterion"),
        "Shows criteria of a turn beside its evaluators, and turns that did not run without a score although they count 0.",
        "Shows evaluators of a turn with their criteria, and the 0 that a turn counts which did not run.",
        "The scores are the same; their parts are shown where they are written.",
    ),
    Departure(
        "rubrics-in-turns",
        ("case verdict", "case score", "evaluator list", "evaluator score", "criterion"),
        "Knows no `type: rubrics` among the assertions of a turn: it scores 0.",
        "Judges its criteria, as among the assertions of a case.",
        "A turn that does what is asked of it has not failed.",
    ),
    Departure(
        "messages-in-turns",
        ("case verdict", "case score", "answer", "evaluator score"),
        "Sends messages as the `input` of a turn as one text: their JSON.",
        "Sends the messages.",
        "No target is meant to be asked in JSON, nor to read a system message as part of a question.",
    ),
    Departure(
        "commands-in-turns",
        ("case verdict", "case score", "evaluator score", "evaluator list"),
        "Every turn of a target that is a command fails, and scores 0: the file with its prompt is in a directory that does not exist.",
        "Runs the command.",
        "It works in cases without turns.",
    ),
    Departure(
        "failed-turns",
        ("case unscored", "evaluator list"),
        "A turn whose target fails scores 0.",
        "The case is unscored, with the error.",
        "Nothing was answered that could be graded.",
    ),
    Departure(
        "one-grader-of-strings",
        ("evaluator list",),
        "Strings among the assertions of a case and among those of its suite are two graders.",
        "They are one grader, asked once, that counts as much as both.",
        "The score is the same for half of the requests.",
    ),
    # --- judges
    Departure(
        "judge-failed",
        ("case unscored",),
        "Where the judge cannot be reached, refuses, or gives no usable reply, a free-form grader scores 0 and the case fails.",
        "The case is unscored, with the reason, and the exit code is 3.",
        "Without a judgement, nothing is known about the answer.",
    ),
    Departure(
        "judge-left-out-criteria",
        ("case unscored", "case verdict", "case score", "evaluator unscored", "evaluator score", "criterion"),
        "A criterion that the judge's reply leaves out drops out of the mean.",
        "The judge is asked again; then the rubric is unscored.",
        "A criterion that nobody judged is neither met nor missed, and without it a rubric passes more easily.",
    ),
    Departure(
        "judge-contradicts-itself",
        ("case unscored", "evaluator unscored"),
        "Counts both of two results for one criterion.",
        "The judge is asked again; then the rubric is unscored.",
        "Nothing tells which of the two is right.",
    ),
    Departure(
        "judge-without-reasoning",
        ("case unscored", "evaluator unscored"),
        "Refuses results of a checklist without `reasoning`.",
        "Takes them.",
        "The result is complete; only its explanation is missing.",
    ),
    Departure(
        "prompt-without-answer",
        ("case unscored", "evaluator unscored", "model request"),
        "Sends a judge's prompt that has a placeholder and none for the answer.",
        "The evaluator is unscored: the judge would not see what to grade.",
        "A judge that sees no answer makes up a score.",
        ("template-variable",),
    ),
    Departure(
        "rubrics-in-prompts",
        ("model request",),
        "A prompt with `{{ rubrics_json }}` has the criteria with their weights and gates.",
        "It has their ids, texts and bands.",
        "A judge that knows what a criterion is worth judges it by that.",
    ),
    Departure(
        "missing-target",
        ("case unscored", "evaluator unscored"),
        "An evaluator whose `target` does not exist scores 0.",
        "It is unscored, and the existing targets are listed.",
        "Nobody judged the answer.",
        ("unknown-target",),
    ),
    Departure(
        "unknown-types",
        ("case unscored", "evaluator unscored"),
        "An evaluator of a type that does not exist scores 0.",
        "It is unscored, and the reason says where types are looked for.",
        "Nobody graded the answer.",
        ("unknown-type",),
    ),
    Departure(
        "files-for-judges",
        ("model request",),
        "`{{ input }}` in a judge's prompt shows a file of the input by its path alone.",
        "Shows the content of the file.",
        "A model behind an API cannot open a path. Targets that are commands get the path, as in AgentV.",
    ),
    # --- programs and patterns
    Departure(
        "turns-measured",
        ("program input",),
        "Gives graders of a turn neither tokens nor times; in their `trace` the case is called `case/turn-1`.",
        "Gives them the tokens and times of the turn; in `trace` the case has its id.",
        "A limit on a turn can only be checked with its measurements.",
    ),
    Departure(
        "config-of-custom-types",
        ("program input",),
        "The program of a custom assertion type gets `config: null`.",
        "It gets the settings beside its type.",
        "Settings are written to be read.",
    ),
    Departure(
        "graders-not-run",
        ("case unscored", "evaluator unscored"),
        "A code grader or aggregator whose program is not there, or cannot be started, scores 0; the case passes where the mean reaches the threshold.",
        "It is unscored and named, the case does not pass, and the exit code is 3. `--allow-grader-errors` leaves it out of the mean. `CodeEvaluator` by itself, in Python, scores 0.",
        "Nothing has graded the answer, and a build that is green without its grader says nothing.",
    ),
    Departure(
        "graders-crashed",
        ("case unscored",),
        "A code grader that crashes scores 0, and the case passes where the mean reaches the threshold all the same.",
        "It scores 0 as well, and the case does not pass: it is unscored where the score would do. `--allow-grader-errors` lets the score decide.",
        "A grader that crashed learned nothing about the answer.",
    ),
    Departure(
        "words-of-reasons",
        ("model request",),
        'Words what checks found in its own way: `Output contains "x"`.',
        'Words it in another: `contains "x"`. Aggregators and their judges are given these words.',
        "They are meant for people; programs rely on names, scores and verdicts.",
    ),
    Departure(
        "crashes-negated",
        ("case verdict", "case score", "evaluator score"),
        "`negate` turns the 0 of a grader that crashed into 1.",
        "The 0 stays.",
        "A crash is not a score.",
    ),
    Departure(
        "not-a-number",
        ("case verdict", "case score", "evaluator score"),
        "A grader that prints `NaN` as its score prints no JSON, and is graded by its exit code: 1.",
        "Its score is 0, with the reason.",
        "A score that is not a number is a mistake of the grader, not full marks.",
    ),
    Departure(
        "broken-json",
        ("case verdict", "case score", "evaluator score"),
        "A grader whose output begins as JSON and is none, by a comma too many or a line behind it, is graded by its exit code: 1.",
        "Its score is 0, with the output as the reason. Output that does not begin as JSON is graded by the exit code, as in AgentV.",
        "The grader meant to give a score, which is unknown; full marks are the worst guess.",
    ),
    Departure(
        "prompt-programs-failed",
        ("case unscored", "evaluator unscored"),
        "An evaluator whose prompt program fails or prints nothing scores 0.",
        "It is unscored, with what the program said.",
        "Nobody judged the answer.",
    ),
    Departure(
        "unreadable-patterns",
        ("case unscored", "evaluator list"),
        "A regular expression that JavaScript cannot read scores 0, and with `negate` 1.",
        "The case is unscored, with the place in the pattern.",
        "An unreadable pattern can neither match nor fail to match.",
        ("invalid-regex",),
    ),
    Departure(
        "dates-by-format",
        ("case verdict", "case score", "evaluator score"),
        "Lets JavaScript read a date before it looks at `formats`: 03/04/2025 is the 4th of March, also under DD/MM/YYYY.",
        "Reads dates by `formats` where there are any.",
        "That is what `formats` is for.",
    ),
    Departure(
        "environment-of-programs",
        ("program input",),
        "Programs of a suite get all variables of the environment, and `AGENTV_RUN_TIMESTAMP` and `AGENTV_EXPERIMENT`.",
        "Programs get the usual ones (PATH, HOME, locale) and those of AgentV's protocol (`AGENTV_WORKSPACE_PATH`, `AGENTV_TARGET_PROXY_…`).",
        "A suite from elsewhere gets no access to keys. `RUBRIC_PROGRAM` marks programs, so that none outlives a run.",
    ),
    Departure(
        "targets-for-graders",
        ("case verdict", "case score", "evaluator score"),
        "Release 4.42.4 opens no way to targets for a code grader with `target`: `AGENTV_TARGET_PROXY_URL` is not set.",
        "Opens one; the judge of the case answers there.",
        "The setting has no other meaning.",
    ),
    # --- targets
    Departure(
        "instructions-to-targets",
        ("model request",),
        "Adds its own system message to requests without one.",
        "Sends only the messages of the suite.",
        "The system under test is the one that the suite describes.",
    ),
    Departure(
        "attempts-of-trials",
        ("program input",),
        "`{ATTEMPT}` in the command of a target is 0 in every trial.",
        "It counts the trials from 0.",
        "Otherwise a target cannot tell its trials apart.",
    ),
    Departure(
        "answers-printed",
        ("case unscored",),
        "A `cli` target without `{OUTPUT_FILE}` in its command fails: its standard output is not read.",
        "Its standard output is the answer.",
        "That is what such a command means.",
    ),
)


#: Those from releases from 5 on, which `make parity` cannot run.
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


def departures_of(code: str) -> Iterator[Departure]:
    """The rows related to a code of `rubric check`."""
    return (row for row in (*DEPARTURES, *DEPARTURES_FROM_5) if code in row.codes)
