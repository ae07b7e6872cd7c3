"""How dialects differ in scoring, filling in and reading, apart from spellings."""

from typing import Literal

from rubric_core.language.file_extensions import DATASETS, YAML
from rubric_core.lazy_compilation import dataclass

__all__ = ["Properties", "ReplyStyle"]

#: What a judge or a program that grades puts into its reply.
ReplyStyle = Literal["hits", "assertions", "checks"]


@dataclass(frozen=True, slots=True)
class Properties:
    """The scoring of a dialect. Every number is a share of 1."""

    #: The program that reads it, as messages name it.
    engine: str = "agentv"
    #: Whether a mapping with `$ref` refers to another one, and keys with `x-` or `$` are the author's own.
    refs: bool = False
    #: Whether a path that leads nowhere is looked up in the directories above.
    searches_upward: bool = True
    #: The prefixes of types of another part of the engine, which are not checked.
    free_types: tuple[str, ...] = ()
    #: Which verdicts a score gets: three bands (0.8, 0.6), two (the threshold), or none.
    verdicts: Literal["none", "three", "two"] = "none"
    threshold: float = 0.8
    borderline: float = 0.6
    #: Whether a mapping criterion without `required` is a gate.
    object_required_default: bool = False
    #: Which score of 0..10 a `required` range criterion without a minimum needs: more than 0, 10, or none at all.
    required_without_min: Literal["nonzero", "ten", "never"] = "nonzero"
    #: Whether its document requires an id of every mapping criterion; AgentV generates missing ones.
    criteria_need_ids: bool = False
    #: Whether plain strings are allowed among the evaluators.
    string_assertions: bool = False
    #: Whether the weight of a rubric made from plain strings is their number.
    strings_weigh_their_count: bool = False
    #: Whether the suite's evaluators are added to those of a case, or only replace missing ones.
    appends_suite_evaluators: bool = False
    #: The name of the evaluator made from a case's inline `rubrics`.
    inline_rubric_name: str = "rubric"
    #: Whether evaluators may have any type, which is then looked up as a program.
    custom_types: bool = False
    #: The engine's result for a judge without a valid reply; rubric leaves the case unscored, and mentions this.
    judge_failure: Literal["zero", "skip"] = "zero"
    #: Whether a required evaluator below its minimum makes the score of the case 0.
    required_zeroes_case: bool = False
    #: Whether the threshold of a suite is also the minimum of required evaluators, and of turns, without their own.
    suite_threshold_gates: bool = True
    #: Whether `_` in a type counts as `-`.
    folds_type_names: bool = False
    #: Whether templates may have expressions with filters, conditions and loops, rather than only names.
    nunjucks: bool = False
    #: Values that are only known at run time, as regular expressions.
    interpolation: tuple[str, ...] = ()
    #: The keys of cases and suites in which the `vars` of a case are filled in; None for all. In turns, they are filled in
    #: in the input and the expected output.
    #: Names may begin with `vars.` only if this is None.
    variable_keys: frozenset[str] | None = None
    #: The keys of cases and turns in which a name without a value is replaced by nothing, as in prompts, where a case has
    #: `vars`; elsewhere it is left as it is.
    emptied_keys: frozenset[str] = frozenset()
    #: Whether a setting of a target in capitals may be the name of an environment variable, be it in early releases only.
    bare_variables: bool = True
    #: The extensions of the files that a suite may name for its cases; those of programs, which make cases, among them.
    case_files: tuple[str, ...] = (*YAML, *DATASETS, ".json")
    #: The first paths at which it searches for targets, below the folder shared by its suites.
    targets_file: str = "targets.yaml"
    #: The required `$schema` of a suite, in releases that check it.
    suite_marker: str = ""
    #: Whether merge keys are merged; otherwise the engine passes over them.
    merges: bool = False
    #: Whether `agentv validate` rejects messages of the role tool.
    refuses_tool_role: bool = False
    #: Template variables that are on their way out, each with the one to write instead.
    replaced_variables: tuple[tuple[str, str], ...] = ()
    #: Where environment variables are put in: as the whole value of a setting of a target, or anywhere in any file.
    interpolates: Literal["targets", "everything"] = "targets"
    #: The severity of a missing required key: AgentV skips the case with a log line, and from 2.7 on `validate` reports
    #: it.
    incomplete_case: Literal["warning", "error"] = "warning"
    #: Whether a case without criteria, expected output, assertions and turns is skipped.
    skips_bare_cases: bool = False
    #: Whether a file of targets may be their list, without a key around it.
    bare_targets: bool = True
    #: Whether composite members without a name, or with an underscored type, are dropped.
    literal_members: bool = False
    #: Whether a key that it does not know makes the engine reject the file.
    strict_keys: bool = False
    #: Whether an unknown kind of provider is looked up as a program.
    custom_providers: bool = False
    #: Whether an evaluator has to have a name.
    names_required: bool = False
    #: Whether the criteria of a case that lists no evaluators are met or not met, rather than given a score as a whole.
    criteria_are_a_checklist: bool = False
    #: Keys of a judge's free-form reply and of a code evaluator's: hits and misses, or assertions.
    reply_style: ReplyStyle = "hits"
    #: The names that are filled in in a judge's prompt of one's own, and those of which such a prompt needs one.
    template_variables: tuple[str, ...] = ()
    answer_variables: tuple[str, ...] = ()
    #: Variables with whole messages as JSON, where the others have their text.
    message_variables: tuple[str, ...] = ()
    #: Whether a bare path in place of a judge's prompt is that file; otherwise the path itself is the prompt, unless it
    #: has `file://`.
    bare_prompt_paths: bool = True
    #: What the engine calls the answer in judge prompts, templates and the input of code evaluators.
    wording: Literal["generated", "candidate", "answer", "output"] = "generated"
    #: Where the reference answer is: the first assistant message of the input, or the first or last expected message.
    reference: Literal["in-input", "first", "last"] = "in-input"
    #: How the arguments of expected tool calls are compared by default.
    trajectory_args: Literal["superset", "exact"] = "superset"
    #: Whether the exit code of a code evaluator that prints no JSON is its verdict.
    exit_code_decides: bool = False
    #: Whether a program that grades finds a long answer in a file, by a key that is only there then.
    output_files: bool = False
    #: Whether input files in a folder of instructions or prompts are guidelines, which are passed separately.
    guidelines: bool = True
    #: Whether files in messages reach programs with their absolute path and their content, or as the suite writes them.
    resolved_files: bool = False
    #: Whether `config` and the keys that a type does not know reach a program side by side, or `config` inside of `config`.
    flat_settings: bool = False
    #: What the command of a target may have in braces.
    placeholders: tuple[str, ...] = ()
