"""The deliberate differences from AgentV as a page of the documentation, and as a section of `rubric explain`."""

from rubric_core.language.departure import Departure
from rubric_core.language.departures import DEPARTURES, departures_of
from rubric_core.language.departures_from_5 import DEPARTURES_FROM_5

__all__ = ["PAGE", "departures_page", "departures_section"]

#: Where the page is, from the root of the repository.
PAGE = "docs/departures.md"


def departures_section(code: str) -> str:
    """The departures of a code for `rubric explain CODE`, in Markdown; empty without any."""
    rows = [
        f"- **agentv**: {row.agentv}\n- **rubric**: {row.rubric} {row.why}\n\nRow `{row.id}` of {PAGE}.\n"
        for row in departures_of(code)
    ]
    return "\n".join(["## Where a run departs from agentv", "", *rows]) if rows else ""


def departures_page() -> str:
    """The page, in Markdown."""
    lines = [
        _INTRODUCTION,
        "| Row | AgentV | rubric | Why | What it explains | Codes |",
        "|---|---|---|---|---|---|",
        *map(_line, DEPARTURES),
        "",
        _FROM_5,
        "| Row | AgentV | rubric | Why |",
        "|---|---|---|---|",
        *(
            f'| <a id="{row.id}"></a>`{row.id}` | {row.agentv} | {row.rubric} | {row.why} |'
            for row in DEPARTURES_FROM_5
        ),
        "",
    ]
    return "\n".join(lines)


def _line(row: Departure) -> str:
    codes = ", ".join(f"[{code}](reference/rules.md)" for code in row.codes)
    return f'| <a id="{row.id}"></a>`{row.id}` | {row.agentv} | {row.rubric} | {row.why} | {", ".join(row.explains)} | {codes} |'


_INTRODUCTION = """\
<!-- Made from rubric_core/language/departures.py by `UPDATE=1 pytest tests/parity/test_departures.py`. -->

# Where rubric departs from AgentV

The same suite, the same answers and the same judge make the same scores. `make parity` holds rubric against the real agentv 4.42.4 with
this list: case by case, every score, every verdict, what programs are given and what judges are sent. Below is every
difference that is left, on purpose. A row explains only the kinds of difference that it lists; `make parity` fails where
it is given as the reason of another.

Not compared are the words of built-in prompts to judges (rubric's are its own; they ask for the same reply), times, ids and
temporary paths.
"""

_FROM_5 = """\
## Releases from 5 on

npm has no release of AgentV from 5 on, so that `make parity` cannot run one. These differences were found by reading its source. The rows
above hold for suites of these releases as well, where they have the same keys.
"""
