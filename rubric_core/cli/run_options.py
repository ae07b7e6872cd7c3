"""The options of `rubric run`, group by group."""

import argparse
from pathlib import Path

from rubric_core.cli.arguments import amount, count, share
from rubric_core.cli.case_filter import condition, keywords, shard
from rubric_core.cli.export import output_file

__all__ = ["add_arguments"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric run`."""
    parser.epilog = (
        "Exit code: 0 every case passed, 1 a case did not pass, 2 usage error, unreadable input, or results that could not be stored, 3 a case could not be scored, "
        "or a grader could not run or crashed (also when other cases failed), 4 every case that ran passed and --max-cost or "
        "--max-seconds ended the run before the others, 130 stopped by Ctrl-C. Finished results are kept in .rubric/results.db."
    )
    parser.set_defaults(invocation=())
    parser.usage = "rubric run [OPTION]… [FILE[::CASE-ID]…]"
    parser.add_argument(
        "suites",
        nargs="*",
        default=["."],
        metavar="FILE[::CASE-ID]",
        help="a suite, one case of it, a folder to look for suites in, or a pattern (default: the current folder)",
    )
    _add_selection(parser)
    _add_limits(parser)
    _add_cluster(parser)
    _add_baseline(parser)
    _add_roles(parser)
    _add_output(parser)


def _add_roles(parser: argparse.ArgumentParser) -> None:
    """Declare the options for targets and judges."""
    add = parser.add_argument_group("targets and judges").add_argument
    add(
        "--target",
        metavar="NAME",
        action="append",
        help="the target that answers; repeat it to compare several targets side by side",
    )
    add("--grader-target", metavar="NAME", help="the target that judges")
    add("--targets", metavar="FILE", type=Path, help="the targets file to use (default: the closest one)")
    add("--threshold", metavar="SCORE", type=share, help="the lowest score that passes a case, 0 to 1")
    add(
        "--allow-grader-errors",
        action="store_true",
        help="let cases pass by their other graders when one could not run or crashed",
    )
    add(
        "--cache",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="ask targets only what they have not been asked before; answers are kept in .rubric/cache",
    )
    add(
        "--record",
        action="store_true",
        help="call judges for replies that are not recorded yet, and record them beside the suite",
    )
    add("--refresh", action="store_true", help="call judges for all replies again, and replace the recorded ones")
    add("--replay", action="store_true", help="never call a judge: use recorded replies")


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Declare the options for output and storage."""
    shown = parser.add_argument_group("output")
    add = shown.add_argument
    how_much = shown.add_mutually_exclusive_group().add_argument
    how_much("-q", "--quiet", action="store_true", help="show only what did not pass, and the summary")
    how_much("-v", "--verbose", action="store_true", help="show the answer to each case, and what each evaluator says")
    add(
        "--format",
        choices=("text", "json", "jsonl"),
        default="text",
        help="the suite with results inline, one JSON object, or one JSON row per case as soon as it is done",
    )
    add("--plan", action="store_true", help="print what the run would execute, send and read, and run nothing")
    add("--show-prompts", action="store_true", help="show the requests to targets, judges and programs verbatim")
    add("--explain", action="store_true", help="explain each score, and what would change the verdict")
    add(
        "--keep-workspaces",
        choices=("failed", "all"),
        default="never",
        help="keep the directories of cases that did not pass, or all of them, and print their paths",
    )
    add(
        "-o",
        "--output",
        metavar="FILE",
        action="append",
        default=[],
        type=output_file,
        help="also write the results to a file; its extension selects the format: .json, .jsonl, .csv, .xml (JUnit), .md, .html, .promptfoo.json",
    )
    add("--no-store", action="store_true", help="do not keep the results")
    add(
        "--promptfoo-exit-code",
        action="store_true",
        help="exit with 100 instead of 1 or 3, as promptfoo does, when a case failed or has no verdict",
    )


def _add_baseline(parser: argparse.ArgumentParser) -> None:
    """Declare the options for comparison."""
    add = parser.add_argument_group("comparison").add_argument
    add("--baseline", metavar="RUN", help="compare the results with this run: a baseline's name, an id, a commit")
    add(
        "--fail-on",
        choices=("case", "flip", "regression"),
        default="case",
        help="what makes the exit code 1: a case that did not pass (default); with --baseline, a case that passed there and does not "
        "now; or a result that is worse beyond noise",
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the options that select cases."""
    add = parser.add_argument_group("select cases").add_argument
    add(
        "-k",
        dest="keywords",
        metavar="EXPR",
        type=keywords,
        help="only cases whose id, tags, suite or file contain these words: 'refund and not (slow or late)', as in pytest",
    )
    add("--tag", metavar="NAME", action="append", help="only cases with this tag; repeat it to require several")
    add(
        "--where",
        metavar="PATH=VALUE",
        type=condition,
        action="append",
        help="only cases with this value at a path such as metadata.owner, or with != any other; repeat it to require several",
    )
    add("--failed", action="store_true", help="only cases that did not pass in their last run")
    add(
        "--changed",
        action="store_true",
        help="only cases that never ran, or that have changed since (with everything they use)",
    )
    add("--resume", action="store_true", help="skip cases with up-to-date results")
    add("--shard", metavar="I/N", type=shard, help="only part I of N, to share the work among N machines")
    add("--sample", metavar="N", type=count, help="only N of the cases, chosen at random")
    add("--seed", metavar="S", type=int, help="the seed of --sample, to choose the same cases again")
    add("--limit", metavar="N", type=count, help="only the first N cases")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """Declare the options for execution and limits."""
    add = parser.add_argument_group("execution").add_argument
    add("-x", "--exitfirst", action="store_true", help="start no further case after the first one that did not pass")
    add("--maxfail", metavar="N", type=count, help="start no further case after N that did not pass")
    add(
        "--max-cost",
        metavar="USD",
        type=amount,
        help="start no further case when targets and judges have cost this many US dollars",
    )
    add(
        "--max-seconds",
        metavar="N",
        type=amount,
        help="end the run after this many seconds; finished results are kept",
    )
    add("--watch", action="store_true", help="run again what changes, until Ctrl-C: suites, prompts, targets, files")
    add("--repeat", metavar="N", type=count, help="run each case N times and take the mean")
    add(
        "--workers",
        metavar="N",
        type=count,
        help="the number of cases that run in parallel (default: that of the suite, else 4)",
    )
    add("--dialect", metavar="NAME", help="the dialect of suites that do not name one")


def _add_cluster(parser: argparse.ArgumentParser) -> None:
    """Declare the options for distributed runs."""
    add = parser.add_argument_group("distributed runs").add_argument
    add(
        "--on",
        metavar="WHERE",
        help="run cases on the workers of a Dask cluster: the address of its scheduler, such as tcp://host:8786, or local:N for N "
        "processes of this machine",
    )
    add(
        "--send-env",
        metavar="NAME",
        action="append",
        help="send this variable to the workers of --on; without it they have their own only; repeat it for several",
    )
    add(
        "--shared-files",
        action="store_true",
        help="the workers of --on see the files of this machine at the same paths: send none",
    )
