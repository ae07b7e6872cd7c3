"""`python -m parity`, with `tests` on the path: `make parity` calls it.

Without arguments: every suite of the comparison, the table, and exit code 1 where something differs that is not explained. With
`--tree DIRECTORY`: the suites that are found there, such as AgentV's own, with invented answers. Exit code 4 where agentv cannot be had.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import npm

from rubric_core.language.departures import DEPARTURES

from . import agentv
from .assessment import assess
from .bundles import read_suites
from .known import false_explanations, read_known, unknown_departures, write_known
from .promptfoo import oracle
from .promptfoo.comparison import compare_all, unexplained
from .run import Comparison, Runner, compare_suites
from .sentences import check_sentences, examples
from .server import scripted_server
from .table import table
from .tree import compare_tree, summary

OK, DIFFERS, UNAVAILABLE = 0, 1, 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison. Gives its exit code."""
    options = _options(arguments)
    try:
        command = tuple(options.agentv.split()) if options.agentv else agentv.command()
    except npm.UnavailableError as reason:
        print(f"skipped: {reason}: nothing was compared with agentv")
        return UNAVAILABLE
    with _workplace(options.keep) as work, scripted_server() as server:
        runner = Runner(command, work, server)
        return _compare_tree(runner, options) if options.tree else _compare(runner, options)


def _compare(runner: Runner, options: argparse.Namespace) -> int:
    sources = [source for name, source in read_suites().items() if options.only in name]
    started = time.monotonic()
    comparisons = list(_reported(compare_suites(runner, sources, options.at_once)))
    known = read_known()
    if os.environ.get("UPDATE"):
        write_known(known, comparisons)
        known = read_known()
    assessment = assess(comparisons, known)
    failures = [
        *assessment.failures,
        *unknown_departures(known, {row.id for row in DEPARTURES}),
        *false_explanations(known, DEPARTURES),
    ]
    if not options.only:
        failures += [f"{suite}: there is no such suite" for suite in known.keys() - {s.name for s in sources}]
    print(f"\n{table(comparisons, assessment)}\n")
    failures += _untrue_sentences(runner, options)
    failures += _promptfoo(options, runner.work)
    for failure in failures:
        print(failure)
    print(
        f"agentv {agentv.VERSION}: {len(sources)} suites, {len(failures)} failures, {time.monotonic() - started:.0f} s"
    )
    return DIFFERS if failures else OK


def _promptfoo(options: argparse.Namespace, work: Path) -> list[str]:
    """What differs between promptfoo and rubric, over configurations of promptfoo."""
    try:
        start = oracle.command()
    except npm.UnavailableError as reason:
        print(f"skipped: {reason}: nothing was compared with promptfoo")
        return []
    found, names, compared = [], [], 0
    for name, number, differences in compare_all(start, work, options.only, options.at_once):
        print(f"{name}: {number} verdicts and scores, {len(differences)} differences", flush=True)
        found += differences
        names.append(name)
        compared += number
    print(f"promptfoo {oracle.VERSION}: {compared} verdicts and scores of rows and assertions\n")
    return unexplained(found, names)


def _untrue_sentences(runner: Runner, options: argparse.Namespace) -> list[str]:
    """What pages of rules say about agentv, and agentv does not do."""
    found = [example for example in examples() if options.only in f"page-{example.name}"]
    checked = list(check_sentences(runner, found, options.at_once))
    said, open_ = sum(len(each.example.sentences) for each in checked), sum(len(each.unchecked) for each in checked)
    print(f"sentences about agentv on pages of rules: {said}, of which {open_} show nothing in a run\n")
    return [f"{each.example.name}: untrue: {text}: {each.found}" for each in checked for text in each.untrue]


def _compare_tree(runner: Runner, options: argparse.Namespace) -> int:
    comparisons = list(_reported(compare_tree(runner, options.tree, options.only, options.at_once)))
    for comparison in comparisons:
        for difference in comparison.differences:
            detail = f"\n      {difference.detail}" if difference.detail else ""
            print(f"{comparison.suite}: {difference.case}: {difference}{detail}")
        if not comparison.agentv.cases or not comparison.rubric.cases:
            print(f"{comparison.suite}: agentv: {comparison.agentv.said[-600:]}")
            print(f"{comparison.suite}: rubric: {comparison.rubric.said[-600:]}")
    print(f"\n{table(comparisons, assess(comparisons, {}))}\n\n{summary(comparisons)}")
    return DIFFERS if any(comparison.differences for comparison in comparisons) else OK


def _reported(comparisons: Iterator[Comparison]) -> Iterator[Comparison]:
    for each in comparisons:
        cases = len(each.agentv.cases.keys() | each.rubric.cases.keys())
        seconds = f"agentv {each.agentv.seconds:.1f} s, rubric {each.rubric.seconds:.1f} s"
        print(f"{each.suite}: {cases} cases, {len(each.differences)} differences ({seconds})", flush=True)
        yield each


@contextmanager
def _workplace(kept: Path | None) -> Iterator[Path]:
    """The folder that is said, which stays, or one that goes away again."""
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="parity-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m parity", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="suites that have this in their name")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work in this folder, and leave it there")
    parser.add_argument("--agentv", metavar="COMMAND", help="the agentv to run, where it is installed already")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 2, metavar="N", help="suites at once")
    parser.add_argument("--tree", type=Path, metavar="DIRECTORY", help="compare the suites found here instead")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
