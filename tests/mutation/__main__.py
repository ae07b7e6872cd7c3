"""`python -m mutation`, with `tests` on the path: `make mutation` calls it.

Plants one seeded mutation at a time in a copy of the checkout, and runs the tests nearest to its package, then, of what these did
not notice, those of its package that reach its line. Prints how many were killed, and each that survived: a place where the tests
are blind, or a change that changes nothing.
"""

import argparse
import hashlib
import queue
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path

from .mutants import Mutant, mutants
from .reach import ROOT, Reach, environment, measure

__all__ = ["main"]

#: The packages, and the tests that belong to each.
PACKAGES: Mapping[str, tuple[str, ...]] = {
    "rubric_core/validation": ("tests/pages", "tests/core", "tests/cli"),
    "rubric_core/evaluation": (
        "tests/evaluation",
        "tests/lsp/test_run_question.py",
        "tests/lsp/test_promptfoo_run_question.py",
        "tests/migration/test_carried_around.py",
    ),
    "rubric_core/loading": ("tests/core", "tests/pages", "tests/evaluation", "tests/cli/test_check_discovery.py"),
    "rubric_core/syntax": ("tests/core", "tests/pages", "tests/lsp/test_completion_of_existing_text.py"),
    "rubric_core/migration": ("tests/migration",),
    "rubric_core/families/promptfoo": ("tests/core", "tests/pages", "tests/evaluation", "tests/migration"),
    "rubric_lsp/features": ("tests/lsp", "tests/evaluation/test_target_settings.py"),
}
#: The tests that notice most mutants of a package for the time they take: which lines they reach need not be measured.
NEAREST: Mapping[str, tuple[str, ...]] = {
    "rubric_core/validation": (
        "tests/core/test_recorded_findings.py", "tests/core/test_mistakes.py", "tests/core/test_legal.py", "tests/pages",
        "tests/core/test_javascript_syntax.py",
        "tests/core/test_formulas.py", "tests/core/test_undefined_names.py", "tests/core/test_secrets_that_are_sent.py",
        "tests/core/test_promptfoo_files.py",
    ),
    "rubric_core/evaluation": (
        "tests/evaluation/test_recorded_suites.py", "tests/evaluation/test_from_data.py",
        "tests/evaluation/test_cases.py", "tests/evaluation/test_evaluator_pages.py",
        "tests/evaluation/test_promptfoo_types.py", "tests/evaluation/test_payloads.py", "tests/evaluation/test_sent_and_cost.py",
        "tests/evaluation/test_fingerprint_of_test.py", "tests/evaluation/test_target_settings.py",
    ),
    "rubric_core/loading": (
        "tests/core/test_text_record.py", "tests/core/test_mistakes.py", "tests/core/test_legal.py", "tests/core/test_lowering.py", "tests/core/test_project.py",
        "tests/core/test_promptfoo_files.py", "tests/core/test_referred_files.py", "tests/core/test_secrets_that_are_sent.py",
        "tests/core/test_detect_eval_yaml.py",
        "tests/pages", "tests/evaluation/test_promptfoo_runs.py", "tests/evaluation/test_tables_and_generators.py",
    ),
    "rubric_core/syntax": (
        "tests/core/test_text_record.py", "tests/core/test_cursor.py", "tests/core/test_scalars.py", "tests/core/test_json_text.py", "tests/core/test_parse.py", "tests/core/test_line_reader.py",
        "tests/core/test_edit.py", "tests/core/test_csv_cells.py", "tests/core/test_yaml_layout.py", "tests/core/test_blocks.py", "tests/core/test_repairs.py",
        "tests/core/test_mistakes.py", "tests/core/test_legal.py",
    ),
    "rubric_core/migration": (
        "tests/migration/test_recorded_migrations.py", "tests/migration/test_fixtures.py",
        "tests/migration/test_carried_around.py", "tests/migration/test_migrate.py",
        "tests/migration/test_from_promptfoo.py", "tests/migration/test_promptfoo_fixtures.py", "tests/migration/test_offers.py",
        "tests/migration/test_difference.py",
    ),
    "rubric_core/families/promptfoo": (
        "tests/core/test_recorded_findings.py", "tests/core/test_mistakes.py", "tests/core/test_javascript_syntax.py",
        "tests/core/test_formulas.py", "tests/core/test_undefined_names.py", "tests/core/test_secrets_that_are_sent.py",
        "tests/core/test_promptfoo_files.py", "tests/evaluation/test_recorded_suites.py", "tests/evaluation/test_promptfoo_types.py",
        "tests/evaluation/test_promptfoo_runs.py", "tests/migration/test_from_promptfoo.py",
    ),
    "rubric_lsp/features": (
        "tests/lsp/test_editor_record.py", "tests/lsp/test_typing_record.py", "tests/lsp/test_views.py", "tests/lsp/test_completion.py", "tests/lsp/test_promptfoo.py", "tests/lsp/test_deferral.py",
        "tests/lsp/test_navigation.py", "tests/lsp/test_features.py",
    ),
}  # fmt: skip
#: Seconds that they take at most without a mutant.
NEAREST_SECONDS = 60.0
#: So many of the tests that reach a line are run first: most mutants are noticed by one of them.
FIRST = 20
#: Seconds that the further tests of one mutant take without it, at most.
MOST_SECONDS = 120.0
#: Bytes of address space that tests with a mutant may take.
MOST_MEMORY = 8_000_000_000
#: Exit codes of pytest for tests that failed, or could not even be imported.
NOTICED = (1, 2)
SURVIVED, UNREACHED, HANGS = "survived", "unreached", "hangs"
LEFT_OUT = (".git", ".venv", ".tools", "artifacts", "node_modules", "__pycache__", "*.vsix", "server")


@dataclass(frozen=True)
class Planted:
    """A mutant in its file."""

    package: str
    path: Path
    mutant: Mutant
    text: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant mutations. The exit code is 1 when fewer are killed than wanted."""
    options = _options(arguments)
    begun = time.monotonic()
    packages = [each for each in PACKAGES if options.only in each]
    planted = _chosen(packages, options.number, options.seed)
    with _copies(options.at_once) as copies, ThreadPoolExecutor(options.at_once) as pool:
        print(f"seed {options.seed}: {len(planted)} mutants", flush=True)
        _check_unchanged(copies, packages)
        free: queue.Queue[Path] = queue.Queue()
        for copy in copies:
            free.put(copy)
        killed: Counter[str] = Counter()
        left: list[Planted] = []
        for each, verdict in zip(planted, pool.map(partial(_try_nearest, free=free), planted), strict=True):
            if verdict or options.nearest:
                _report(each, verdict or SURVIVED, killed, verbose=options.verbose)
            else:
                left.append(each)
        if left:
            print(f"{len(left)} are left; which tests reach them is measured …", flush=True)
            folders = sorted({tests for each in left for tests in PACKAGES[each.package]})
            reach = measure(copies[0], folders, ROOT / ".tools" / "mutation" / _commit(), options.at_once)
            for each, verdict in zip(left, pool.map(partial(_try_reaching, reach=reach, free=free), left), strict=True):
                _report(each, verdict, killed, verbose=options.verbose)
    for package in packages:
        amount = sum(each.package == package for each in planted)
        print(f"{package:24} {killed[package]:4} of {amount:4} killed")
    share = sum(killed.values()) / max(1, len(planted))
    print(f"{sum(killed.values())} of {len(planted)} killed, {share:.0%}, in {time.monotonic() - begun:.0f} s")
    return 0 if share >= options.wanted else 1


def _chosen(packages: Sequence[str], number: int, seed: int) -> list[Planted]:
    """As many mutants of each package as its share of the code; files and lines by chance."""
    rng = random.Random(seed)
    every: dict[str, list[Planted]] = {package: [] for package in packages}
    for package, found in every.items():
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            found.extend(Planted(package, path.relative_to(ROOT), mutant, text) for mutant in mutants(text))
    total = sum(map(len, every.values()))
    shares = {package: max(1, round(number * len(found) / max(1, total))) for package, found in every.items()}
    return [each for package, found in every.items() for each in rng.sample(found, min(shares[package], len(found)))]


def _report(each: Planted, verdict: str, killed: Counter[str], *, verbose: bool) -> None:
    killed[each.package] += verdict not in (SURVIVED, UNREACHED)
    if verbose or verdict in (SURVIVED, UNREACHED, HANGS):  # a busy machine makes tests slow, too
        print(f"{verdict:9} {each.path}:{each.mutant.line}  {each.mutant.described(each.text)}", flush=True)


def _try_nearest(each: Planted, free: "queue.Queue[Path]") -> str:
    """How the nearest tests notice a mutant; nothing if they do not."""
    with _planted(each, free) as copy:
        return _verdict(copy, NEAREST[each.package], NEAREST_SECONDS)


def _try_reaching(each: Planted, reach: Reach, free: "queue.Queue[Path]") -> str:
    """killed, hangs, survived, or that no test reaches it."""
    found = reach.tests(each.path, each.mutant.line, PACKAGES[each.package])
    with _planted(each, free) as copy:
        for tests in (found[:FIRST], _affordable(found[FIRST:], reach)):
            if tests and (verdict := _verdict(copy, tests, sum(reach.seconds[test] for test in tests))):
                return verdict
    return SURVIVED if found else UNREACHED


@contextmanager
def _planted(each: Planted, free: "queue.Queue[Path]") -> Iterator[Path]:
    """A copy of the checkout with a mutant."""
    copy = free.get()
    target = copy / each.path
    try:
        target.write_text(each.mutant.applied(each.text), encoding="utf-8")
        yield copy
    finally:
        target.write_text(each.text, encoding="utf-8")
        free.put(copy)


def _affordable(tests: Sequence[str], reach: Reach) -> list[str]:
    """The first of some tests that take no longer than a mutant is worth."""
    ends = accumulate(reach.seconds[test] for test in tests)
    return [test for test, end in zip(tests, ends, strict=True) if end <= MOST_SECONDS]


def _check_unchanged(copies: Sequence[Path], packages: Sequence[str]) -> None:
    """Tests that fail without a mutant would kill every one: raises RuntimeError. Leaves bytecode in the copies, to start quickly."""
    tests = list(dict.fromkeys(test for package in packages for test in NEAREST[package]))
    with ThreadPoolExecutor(len(copies)) as pool:
        for verdict in pool.map(lambda copy: _verdict(copy, tests, NEAREST_SECONDS * len(packages), keep=True), copies):
            if verdict:
                raise RuntimeError(f"the nearest tests fail without a mutant ({verdict})")


def _verdict(copy: Path, tests: Sequence[str], seconds: float, *, keep: bool = False) -> str:
    """How some tests notice what is changed in a copy; nothing if they do not. Whether bytecode is to be kept."""
    variables = environment(copy)
    if keep:
        del variables["PYTHONDONTWRITEBYTECODE"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as chosen:
        chosen.write("\n".join(tests))
        chosen.flush()
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", f"@{chosen.name}"]
        try:
            done = subprocess.run(
                command,
                cwd=copy,
                env=variables,
                capture_output=True,
                text=True,
                timeout=60 + 10 * seconds,
                check=False,
                preexec_fn=_limit_memory,  # it makes one call of the system, in a child that only starts pytest
            )
        except subprocess.TimeoutExpired:
            return HANGS
    if done.returncode not in (0, *NOTICED):
        raise RuntimeError(f"pytest failed with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return "killed" if done.returncode else ""


def _limit_memory() -> None:
    """A loop that a mutant made endless must not take the memory of everything else."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


@contextmanager
def _copies(number: int) -> Iterator[list[Path]]:
    """Copies of the checkout, one for each mutant that is tried at once."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copies = [Path(folder, f"copy-{each}") for each in range(number)]
        for copy in copies:
            shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        script = "import rubric_core, rubric_lsp; print(rubric_core.__file__)"
        found = subprocess.run([sys.executable, "-c", script], cwd=copies[0], env=environment(copies[0]), capture_output=True, text=True, check=True)  # fmt: skip
        if not found.stdout.startswith(str(copies[0])):
            raise RuntimeError(f"the tests would import {found.stdout.strip()}, and not the copy")
        yield copies


def _commit() -> str:
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    changed = subprocess.run(["git", "diff", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return head.stdout.strip() + (f"-{hashlib.sha256(changed.encode()).hexdigest()[:8]}" if changed else "")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the same seed plants the same")
    parser.add_argument("--number", type=int, default=200, metavar="N", help="mutants")
    parser.add_argument("--only", default="", metavar="TEXT", help="packages that have this in their path")
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="mutants at once")
    parser.add_argument(
        "--wanted", type=float, default=0.9, metavar="SHARE", help="the share that has to be killed, 0..1"
    )
    parser.add_argument("--nearest", action="store_true", help="run the nearest tests only: no reach is measured")
    parser.add_argument("-v", "--verbose", action="store_true", help="print those that were killed too")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
