"""The kinds of files that promptfoo reads."""

from functools import partial

from rubric_core.language.file_kinds import FileKind

__all__ = ["PromptfooFile"]

_kind = partial(FileKind, family="promptfoo", dialect="promptfoo", is_strict=True)
_named = partial(_kind, by_reference=True)


class PromptfooFile:
    """The kinds of files that promptfoo reads."""

    CONFIGURATION = _kind("PROMPTFOO", "a promptfoo configuration", is_root=True, keeps_blocks=True)
    CASES = _named(
        "PROMPTFOO_CASES", "a file of promptfoo cases", of_cases=True, names_no_cases=True, lists_cases=True, refers=True, takes_names=True,
        inlines=True,
    )  # fmt: skip
    #: Cases as CSV.
    TABLE = _named(
        "PROMPTFOO_TABLE", "a table of promptfoo cases", is_text=True, is_table=True, of_cases=True, names_no_cases=True, lists_cases=True,
        refers=True, takes_names=True,
    )  # fmt: skip
    DEFAULTS = _named("PROMPTFOO_DEFAULTS", "a promptfoo default test", of_cases=True, is_defaults=True, refers=True)
    SCENARIOS = _named(
        "PROMPTFOO_SCENARIOS", "a file of promptfoo scenarios", of_cases=True, names_no_cases=True, refers=True
    )
    PROMPT = _named("PROMPTFOO_PROMPT", "a prompt of promptfoo", is_text=True, is_template=True, takes_names=True)
    #: What models that grade are asked, under `rubricPrompt`.
    JUDGE_PROMPT = _named(
        "PROMPTFOO_JUDGE_PROMPT", "a prompt for judges of promptfoo", is_text=True, is_template=True, takes_names=True,
        is_named_anywhere=True,
    )  # fmt: skip
    PROVIDERS = _named("PROMPTFOO_PROVIDERS", "a file of promptfoo providers", refers=True)
    PROVIDER = _named("PROMPTFOO_PROVIDER", "a promptfoo provider", refers=True)
    ASSERTIONS = _named("PROMPTFOO_ASSERTIONS", "a file of promptfoo assertions", refers=True, inlines=True)
    ASSERTION = _named("PROMPTFOO_ASSERTION", "a promptfoo assertion", refers=True, inlines=True)
    VARS = _named("PROMPTFOO_VARS", "a file of promptfoo variables", lists_cases=True, takes_names=True)
    SCHEMA = _named("PROMPTFOO_SCHEMA", "a JSON Schema")
    #: What models may call, under `tools` of a provider.
    TOOLS = _named("PROMPTFOO_TOOLS", "a file of tools", strict_json=True)
    #: JavaScript or Python that promptfoo runs.
    PROGRAM = _named(
        "PROMPTFOO_PROGRAM",
        "a program of promptfoo",
        is_text=True,
        is_program=True,
        takes_names=True,
        is_named_anywhere=True,
    )
