"""Every rule, one module and one page each. Adding a rule is a module, a page and a line in RULES."""

from typing import Any

from rubric_core.validation.rule import Rule
from rubric_core.validation.rules.all_weights_zero import ALL_WEIGHTS_ZERO
from rubric_core.validation.rules.bad_weight import BAD_WEIGHT
from rubric_core.validation.rules.band_bounds import BAND_BOUNDS
from rubric_core.validation.rules.band_without_text import BAND_WITHOUT_TEXT
from rubric_core.validation.rules.bands_not_from_zero import BANDS_NOT_FROM_ZERO
from rubric_core.validation.rules.conflicting_keys import CONFLICTING_KEYS
from rubric_core.validation.rules.criterion_without_text import CRITERION_WITHOUT_TEXT
from rubric_core.validation.rules.duplicate_case_id import DUPLICATE_CASE_ID
from rubric_core.validation.rules.duplicate_criterion_id import DUPLICATE_CRITERION_ID
from rubric_core.validation.rules.duplicate_key import DUPLICATE_KEY
from rubric_core.validation.rules.empty_rubric import EMPTY_RUBRIC
from rubric_core.validation.rules.foreign_key import FOREIGN_KEY
from rubric_core.validation.rules.foreign_type import FOREIGN_TYPE
from rubric_core.validation.rules.gapped_bands import GAPPED_BANDS
from rubric_core.validation.rules.gate_out_of_range import GATE_OUT_OF_RANGE
from rubric_core.validation.rules.invalid_value import INVALID_VALUE
from rubric_core.validation.rules.malformed_band import MALFORMED_BAND
from rubric_core.validation.rules.missing_key import MISSING_KEY
from rubric_core.validation.rules.not_a_suite import NOT_A_SUITE
from rubric_core.validation.rules.nothing_asserted import NOTHING_ASSERTED
from rubric_core.validation.rules.overlapping_bands import OVERLAPPING_BANDS
from rubric_core.validation.rules.renamed_key import RENAMED_KEY
from rubric_core.validation.rules.renamed_type import RENAMED_TYPE
from rubric_core.validation.rules.reversed_band import REVERSED_BAND
from rubric_core.validation.rules.several_documents import SEVERAL_DOCUMENTS
from rubric_core.validation.rules.skipped_string import SKIPPED_STRING
from rubric_core.validation.rules.syntax_error import SYNTAX_ERROR
from rubric_core.validation.rules.too_large import TOO_LARGE
from rubric_core.validation.rules.unknown_alias import UNKNOWN_ALIAS
from rubric_core.validation.rules.unknown_key import UNKNOWN_KEY
from rubric_core.validation.rules.unknown_type import UNKNOWN_TYPE
from rubric_core.validation.rules.wrong_type import WRONG_TYPE

__all__ = ["RULES"]

#: In the order of their codes.
RULES: tuple[Rule[Any], ...] = (
    ALL_WEIGHTS_ZERO,
    BAD_WEIGHT,
    BAND_BOUNDS,
    BAND_WITHOUT_TEXT,
    BANDS_NOT_FROM_ZERO,
    CONFLICTING_KEYS,
    CRITERION_WITHOUT_TEXT,
    DUPLICATE_CASE_ID,
    DUPLICATE_CRITERION_ID,
    DUPLICATE_KEY,
    EMPTY_RUBRIC,
    FOREIGN_KEY,
    FOREIGN_TYPE,
    GAPPED_BANDS,
    GATE_OUT_OF_RANGE,
    INVALID_VALUE,
    MALFORMED_BAND,
    MISSING_KEY,
    NOT_A_SUITE,
    NOTHING_ASSERTED,
    OVERLAPPING_BANDS,
    RENAMED_KEY,
    RENAMED_TYPE,
    REVERSED_BAND,
    SEVERAL_DOCUMENTS,
    SKIPPED_STRING,
    SYNTAX_ERROR,
    TOO_LARGE,
    UNKNOWN_ALIAS,
    UNKNOWN_KEY,
    UNKNOWN_TYPE,
    WRONG_TYPE,
)
