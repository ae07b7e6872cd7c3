"""The reference of promptfoo's configurations as one Markdown page, short enough for the context of a model."""

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialect_reference import ReferencePage
from rubric_core.language.shape_kinds import Shaped

__all__ = ["PROMPTFOO_EXAMPLE", "REFERENCE", "promptfoo_reference"]

#: A small configuration in which `rubric check` finds nothing, and which passes without a network.
PROMPTFOO_EXAMPLE = """\
# yaml-language-server: $schema=https://promptfoo.dev/config-schema.json
prompts:
  - "Greet {{name}} in {{language}}."
providers:
  - echo
defaultTest:
  vars: {language: French}
tests:
  - description: Names the guest
    vars: {name: Ann}
    assert:
      - {type: contains, value: "{{name}}"}
      - {type: javascript, value: output.length < 100}
"""

_INTRODUCTION = """\
Configurations are YAML, in files that are called `promptfooconfig.yaml` or `promptfooconfig.NAME.yaml`. Keys are in camelCase. Write only
the keys below: promptfoo silently ignores others, so that a case with a misspelt `assert` passes without a check.
`rubric check --format agent FILE` lists mistakes with their fixes, `rubric check --fix FILE` applies the safe ones,
`rubric explain CODE` explains one."""

_SCORING = """\
- Every prompt runs with every provider and every case. A list of texts in `vars` is one row per item.
- Prompts, and texts or lists of texts under `value`, are Nunjucks templates over `vars`; a name without a value is empty.
- The score of a case is the weighted mean of its assertions. Without `threshold` every assertion has to pass; with one only the score counts.
- Vars, options and metadata of `defaultTest` are merged into each case; its assertions come first.
- Paths are relative to the configuration, and begin with `file://`."""


def promptfoo_reference(dialect: Dialect = PROMPTFOO) -> str:
    """The page: an example, how cases are scored, every key, and every assertion type with how it scores."""
    page = ReferencePage(dialect, besides=(Assertion,))
    parts = [
        "# The language of promptfoo configurations", "", f"Read by promptfoo {dialect.releases}.", _INTRODUCTION, "", "## Example", "",
        "```yaml", PROMPTFOO_EXAMPLE.rstrip(), "```", "", "## How it reads and scores", "", _SCORING, "", "## Configurations",
        *page.shapes(Shaped(Configuration)), "", "## Assertions", "",
        "`not-` in front of a type inverts it, but for `assert-set`, `select-best` and `max-score`.", *page.typed(Assertion, "Every assertion"),
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


REFERENCE = promptfoo_reference
