"""Every rule, one module and one page each. Adding a rule is a module, a page and a line in RULES."""

from typing import Any

from rubric_core.validation.rule import Rule
from rubric_core.validation.rules.aggregator_setting import AGGREGATOR_SETTING
from rubric_core.validation.rules.all_weights_zero import ALL_WEIGHTS_ZERO
from rubric_core.validation.rules.bad_configuration import BAD_CONFIGURATION
from rubric_core.validation.rules.bad_weight import BAD_WEIGHT
from rubric_core.validation.rules.band_bounds import BAND_BOUNDS
from rubric_core.validation.rules.band_without_text import BAND_WITHOUT_TEXT
from rubric_core.validation.rules.bands_against_outcome import BANDS_AGAINST_OUTCOME
from rubric_core.validation.rules.bands_not_from_zero import BANDS_NOT_FROM_ZERO
from rubric_core.validation.rules.bare_path import BARE_PATH
from rubric_core.validation.rules.broken_cases import BROKEN_CASES
from rubric_core.validation.rules.broken_template import BROKEN_TEMPLATE
from rubric_core.validation.rules.case_entry import CASE_ENTRY
from rubric_core.validation.rules.composite_member import COMPOSITE_MEMBER
from rubric_core.validation.rules.conflicting_keys import CONFLICTING_KEYS
from rubric_core.validation.rules.conversation import CONVERSATION
from rubric_core.validation.rules.criteria_beside_assert import CRITERIA_BESIDE_ASSERT
from rubric_core.validation.rules.criterion_without_bands import CRITERION_WITHOUT_BANDS
from rubric_core.validation.rules.criterion_without_id import CRITERION_WITHOUT_ID
from rubric_core.validation.rules.criterion_without_text import CRITERION_WITHOUT_TEXT
from rubric_core.validation.rules.cut_text import CUT_TEXT
from rubric_core.validation.rules.dependency import DEPENDENCY
from rubric_core.validation.rules.dominant_criterion import DOMINANT_CRITERION
from rubric_core.validation.rules.double_criterion import DOUBLE_CRITERION
from rubric_core.validation.rules.duplicate_case_id import DUPLICATE_CASE_ID
from rubric_core.validation.rules.duplicate_criterion_id import DUPLICATE_CRITERION_ID
from rubric_core.validation.rules.duplicate_entry import DUPLICATE_ENTRY
from rubric_core.validation.rules.duplicate_evaluator_name import DUPLICATE_EVALUATOR_NAME
from rubric_core.validation.rules.duplicate_key import DUPLICATE_KEY
from rubric_core.validation.rules.duplicate_target import DUPLICATE_TARGET
from rubric_core.validation.rules.empty_file import EMPTY_FILE
from rubric_core.validation.rules.empty_rubric import EMPTY_RUBRIC
from rubric_core.validation.rules.environment_sent import ENVIRONMENT_SENT
from rubric_core.validation.rules.extension_hook import EXTENSION_HOOK
from rubric_core.validation.rules.foreign_key import FOREIGN_KEY
from rubric_core.validation.rules.foreign_type import FOREIGN_TYPE
from rubric_core.validation.rules.format_marker import FORMAT_MARKER
from rubric_core.validation.rules.gapped_bands import GAPPED_BANDS
from rubric_core.validation.rules.gate_inside_band import GATE_INSIDE_BAND
from rubric_core.validation.rules.gate_out_of_range import GATE_OUT_OF_RANGE
from rubric_core.validation.rules.identical_bands import IDENTICAL_BANDS
from rubric_core.validation.rules.invalid_regex import INVALID_REGEX
from rubric_core.validation.rules.invalid_value import INVALID_VALUE
from rubric_core.validation.rules.literal_secret import LITERAL_SECRET
from rubric_core.validation.rules.malformed_band import MALFORMED_BAND
from rubric_core.validation.rules.merge_key import MERGE_KEY
from rubric_core.validation.rules.message_role import MESSAGE_ROLE
from rubric_core.validation.rules.missing_file import MISSING_FILE
from rubric_core.validation.rules.missing_key import MISSING_KEY
from rubric_core.validation.rules.nameless_criterion import NAMELESS_CRITERION
from rubric_core.validation.rules.no_cases import NO_CASES
from rubric_core.validation.rules.no_effect import NO_EFFECT
from rubric_core.validation.rules.not_a_suite import NOT_A_SUITE
from rubric_core.validation.rules.nothing_asked import NOTHING_ASKED
from rubric_core.validation.rules.nothing_asserted import NOTHING_ASSERTED
from rubric_core.validation.rules.numeric_required import NUMERIC_REQUIRED
from rubric_core.validation.rules.old_interpolation import OLD_INTERPOLATION
from rubric_core.validation.rules.outside_file import OUTSIDE_FILE
from rubric_core.validation.rules.overlapping_bands import OVERLAPPING_BANDS
from rubric_core.validation.rules.prompt_path import PROMPT_PATH
from rubric_core.validation.rules.renamed_key import RENAMED_KEY
from rubric_core.validation.rules.renamed_type import RENAMED_TYPE
from rubric_core.validation.rules.required_without_minimum import REQUIRED_WITHOUT_MINIMUM
from rubric_core.validation.rules.requires_range import REQUIRES_RANGE
from rubric_core.validation.rules.reversed_band import REVERSED_BAND
from rubric_core.validation.rules.role_marker import ROLE_MARKER
from rubric_core.validation.rules.run_option import RUN_OPTION
from rubric_core.validation.rules.same_criterion import SAME_CRITERION
from rubric_core.validation.rules.script_value import SCRIPT_VALUE
from rubric_core.validation.rules.several_documents import SEVERAL_DOCUMENTS
from rubric_core.validation.rules.several_sources import SEVERAL_SOURCES
from rubric_core.validation.rules.skipped_string import SKIPPED_STRING
from rubric_core.validation.rules.split_item import SPLIT_ITEM
from rubric_core.validation.rules.stray_sign import STRAY_SIGN
from rubric_core.validation.rules.suite_name import SUITE_NAME
from rubric_core.validation.rules.suite_version import SUITE_VERSION
from rubric_core.validation.rules.syntax_error import SYNTAX_ERROR
from rubric_core.validation.rules.table_column import TABLE_COLUMN
from rubric_core.validation.rules.target_circle import TARGET_CIRCLE
from rubric_core.validation.rules.template_variable import TEMPLATE_VARIABLE
from rubric_core.validation.rules.too_few_outputs import TOO_FEW_OUTPUTS
from rubric_core.validation.rules.too_large import TOO_LARGE
from rubric_core.validation.rules.trajectory_setting import TRAJECTORY_SETTING
from rubric_core.validation.rules.undefined_variable import UNDEFINED_VARIABLE
from rubric_core.validation.rules.unknown_alias import UNKNOWN_ALIAS
from rubric_core.validation.rules.unknown_key import UNKNOWN_KEY
from rubric_core.validation.rules.unknown_label import UNKNOWN_LABEL
from rubric_core.validation.rules.unknown_metric import UNKNOWN_METRIC
from rubric_core.validation.rules.unknown_placeholder import UNKNOWN_PLACEHOLDER
from rubric_core.validation.rules.unknown_tag import UNKNOWN_TAG
from rubric_core.validation.rules.unknown_target import UNKNOWN_TARGET
from rubric_core.validation.rules.unknown_template import UNKNOWN_TEMPLATE
from rubric_core.validation.rules.unknown_type import UNKNOWN_TYPE
from rubric_core.validation.rules.unread_checks import UNREAD_CHECKS
from rubric_core.validation.rules.unrendered_template import UNRENDERED_TEMPLATE
from rubric_core.validation.rules.unstated_required import UNSTATED_REQUIRED
from rubric_core.validation.rules.unused_ignore import UNUSED_IGNORE
from rubric_core.validation.rules.unused_target import UNUSED_TARGET
from rubric_core.validation.rules.unused_variable import UNUSED_VARIABLE
from rubric_core.validation.rules.vague_criterion import VAGUE_CRITERION
from rubric_core.validation.rules.variable_value import VARIABLE_VALUE
from rubric_core.validation.rules.workspace_setting import WORKSPACE_SETTING
from rubric_core.validation.rules.wrong_root import WRONG_ROOT
from rubric_core.validation.rules.wrong_type import WRONG_TYPE

__all__ = ["RULES"]

#: In the order of their codes.
RULES: tuple[Rule[Any], ...] = (
    AGGREGATOR_SETTING,
    ALL_WEIGHTS_ZERO,
    BAD_CONFIGURATION,
    BAD_WEIGHT,
    BAND_BOUNDS,
    BAND_WITHOUT_TEXT,
    BANDS_AGAINST_OUTCOME,
    BANDS_NOT_FROM_ZERO,
    BARE_PATH,
    BROKEN_CASES,
    BROKEN_TEMPLATE,
    CASE_ENTRY,
    COMPOSITE_MEMBER,
    CONFLICTING_KEYS,
    CONVERSATION,
    CRITERIA_BESIDE_ASSERT,
    CRITERION_WITHOUT_BANDS,
    CRITERION_WITHOUT_ID,
    CRITERION_WITHOUT_TEXT,
    CUT_TEXT,
    DEPENDENCY,
    DOMINANT_CRITERION,
    DOUBLE_CRITERION,
    DUPLICATE_CASE_ID,
    DUPLICATE_CRITERION_ID,
    DUPLICATE_ENTRY,
    DUPLICATE_EVALUATOR_NAME,
    DUPLICATE_KEY,
    DUPLICATE_TARGET,
    EMPTY_FILE,
    EMPTY_RUBRIC,
    ENVIRONMENT_SENT,
    EXTENSION_HOOK,
    FOREIGN_KEY,
    FOREIGN_TYPE,
    FORMAT_MARKER,
    GAPPED_BANDS,
    GATE_INSIDE_BAND,
    GATE_OUT_OF_RANGE,
    IDENTICAL_BANDS,
    INVALID_REGEX,
    INVALID_VALUE,
    LITERAL_SECRET,
    MALFORMED_BAND,
    MERGE_KEY,
    MESSAGE_ROLE,
    MISSING_FILE,
    MISSING_KEY,
    NAMELESS_CRITERION,
    NO_CASES,
    NO_EFFECT,
    NOT_A_SUITE,
    NOTHING_ASKED,
    NOTHING_ASSERTED,
    NUMERIC_REQUIRED,
    OLD_INTERPOLATION,
    OUTSIDE_FILE,
    OVERLAPPING_BANDS,
    PROMPT_PATH,
    RENAMED_KEY,
    RENAMED_TYPE,
    REQUIRED_WITHOUT_MINIMUM,
    REQUIRES_RANGE,
    REVERSED_BAND,
    ROLE_MARKER,
    RUN_OPTION,
    SAME_CRITERION,
    SCRIPT_VALUE,
    SEVERAL_DOCUMENTS,
    SEVERAL_SOURCES,
    SKIPPED_STRING,
    SPLIT_ITEM,
    STRAY_SIGN,
    SUITE_NAME,
    SUITE_VERSION,
    SYNTAX_ERROR,
    TABLE_COLUMN,
    TARGET_CIRCLE,
    TEMPLATE_VARIABLE,
    TOO_FEW_OUTPUTS,
    TOO_LARGE,
    TRAJECTORY_SETTING,
    UNDEFINED_VARIABLE,
    UNKNOWN_ALIAS,
    UNKNOWN_KEY,
    UNKNOWN_LABEL,
    UNKNOWN_METRIC,
    UNKNOWN_PLACEHOLDER,
    UNKNOWN_TAG,
    UNKNOWN_TARGET,
    UNKNOWN_TEMPLATE,
    UNKNOWN_TYPE,
    UNREAD_CHECKS,
    UNRENDERED_TEMPLATE,
    UNSTATED_REQUIRED,
    UNUSED_IGNORE,
    UNUSED_TARGET,
    UNUSED_VARIABLE,
    VAGUE_CRITERION,
    VARIABLE_VALUE,
    WORKSPACE_SETTING,
    WRONG_ROOT,
    WRONG_TYPE,
)
