"""`rubric judge check [TARGET]`: measures judge accuracy."""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Any

from rubric_core.adapters import system_ports
from rubric_core.cli.sanitize import send_sequence
from rubric_core.cli.selection import no_file
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.evaluation.judge_check.check import JudgeCheck, check_judge
from rubric_core.evaluation.judge_check.measures import BARS, Measure
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.results.journal import json_text
from rubric_core.evaluation.targets.resolve import Targets, load_targets
from rubric_core.ports import Ports, ProviderError

__all__ = ["add_arguments", "main"]

GOOD, NOT_GOOD, WRONG_USE, NOT_ASKED = 0, 1, 2, 3
#: The meaning of the measures, in the order in which they are shown.
_MEANINGS = {
    "accuracy": "verdicts that agree with the reference; guessing gives 50 %",
    "kappa": "agreement beyond chance, from -1 to 1",
    "yes-rate": "criteria that it calls met; half of them really are",
    "invalid": "items without a usable reply in three tries",
    "in band": "scores of 0 to 10 in the band of the reference; guessing gives 33 %",
    "in order": "pairs of a worse and a better answer with scores in that order",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric judge`."""
    parser.description = (
        "Measure how often a judge is right: 60 answers that do or do not meet a criterion, and 24 answers of "
        "different quality."
    )
    parser.epilog = (
        "The samples are in English and were labelled by one person: do not trust a judge that fails them; one that "
        "passes may still err on your criteria. Exit code: 0 the judge clears every bar, 1 it does not, 2 usage error, "
        "3 the judge could not be called."
    )
    add = parser.add_argument
    add("action", choices=("check",), metavar="check", help="check a judge")
    add("target", nargs="?", metavar="TARGET", help="the target to check (default: the judge of the target `default`)")
    add("--targets", metavar="FILE", type=Path, help="the targets file to use (default: the closest one)")
    add("--format", choices=("text", "json"), default="text", help="a table, or one JSON object")
    add("--workers", metavar="N", type=_count, default=4, help="the number of items judged in parallel (default: 4)")
    add("--wrong", action="store_true", help="list the items that it misjudged")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number of at least 1, not {text!r}")
    return int(text)


def main(options: argparse.Namespace) -> int:
    """Check and report. Returns the exit code."""
    if options.targets is not None and not options.targets.is_file():
        print(f"rubric: {options.targets}: {no_file(options.targets)}", file=sys.stderr)
        return WRONG_USE
    try:
        check = asyncio.run(_checked(options))
    except Unscored as problem:
        print(f"rubric: {problem.reason}", file=sys.stderr)
        return WRONG_USE
    except ProviderError as error:
        print(f"rubric: the judge cannot be called: {error}", file=sys.stderr)
        return NOT_ASKED
    if options.format == "json":
        print(json_text(_document(check), indent=2))
    else:
        _print(check, TerminalStyle.of(), wrong=options.wrong)
    return GOOD if check.good else NOT_GOOD


async def _checked(options: argparse.Namespace) -> JudgeCheck:
    async with system_ports() as ports:
        targets = load_targets(Path.cwd(), ports.files, options.targets)
        name = options.target or _judge_of_default(targets, ports)
        _, provider = targets.provider(name, ports)
        live = sys.stderr.isatty()

        def told(done: int, of: int) -> None:
            if live:
                send_sequence(sys.stderr, "\r\x1b[K")
                sys.stderr.write(f"{name}: {done}/{of}" if done < of else "")
                sys.stderr.flush()

        return await check_judge(provider, ports, options.workers, told)


def _judge_of_default(targets: Targets, ports: Ports) -> str:
    """The judge if none is named. Raises Unscored."""
    found = targets.judge_name("default", ports.environment)
    if found is None and not targets.kind_judges("default", ports.environment):
        raise Unscored("the target default has no judge; name the target to check: rubric judge check TARGET")
    return found or "default"


def _document(check: JudgeCheck) -> dict[str, Any]:
    bars = {bar.name: bar for bar in BARS}
    return {
        "judge": check.judge,
        "identity": check.identity,
        "good": check.good,
        "no_better_than_chance": check.by_chance,
        "words": _words(check),
        "measures": [
            {
                "name": m.name, "value": round(m.value, 4), "interval": [round(m.low, 4), round(m.high, 4)], "counted": m.counted or None,
                "bar": bars[m.name].words if m.name in bars else None, "met": bars[m.name].met(m) if m.name in bars else None,
            }
            for m in check.measures
        ],
        "cost_usd": check.cost_usd,
        "items": [{"id": i.id, "expected": i.met, "judged": said} for i, said in check.said],
        "graded": [{"id": i.id, "expected": list(i.band), "judged": score} for i, score in check.scored],
    }  # fmt: skip


def _print(check: JudgeCheck, style: TerminalStyle, *, wrong: bool) -> None:
    bars = {bar.name: bar for bar in BARS}
    print(f"{check.judge} ({check.identity})\n")
    for measure in check.measures:
        bar = bars.get(measure.name)
        sign = "·" if bar is None else "✔" if bar.met(measure) else "✘"
        role = "dim" if bar is None else "good" if bar.met(measure) else "bad"
        row = f"{sign} {measure.name:<9} {_number(measure, measure.value):>6}  {_interval(measure):<16} {measure.counted:<9}"
        print(f"{style.paint(f'{row} {bar.words if bar else str():<13}', role)} {_MEANINGS[measure.name]}")
    if wrong:
        print()
        for item, said in check.wrong:
            found = "no usable reply" if said is None else f"says {'met' if said else 'not met'}"
            print(f"  {item.id}: {found}, is {'met' if item.met else 'not met'}: {item.sheet.items[0].text}")
    cost = f" It cost ${check.cost_usd:.4f}." if check.cost_usd else ""
    print(f"\n{style.paint(_words(check), 'good' if check.good else 'bad')}{cost}")


def _words(check: JudgeCheck) -> str:
    accuracy, invalid = check.measures[0], check.measures[3]
    share = f"{accuracy.counted} reference verdicts, {_number(accuracy, accuracy.value)} ({_interval(accuracy)})"
    if not BARS[3].met(invalid):
        return f"{check.judge} gave no usable reply for {invalid.counted} items, and agreed with {share}. Do not use its verdicts."
    if check.by_chance:
        return f"{check.judge} is no better than guessing: it agreed with {share}. Do not use its verdicts."
    if not check.good:
        return f"{check.judge} agreed with {share}: better than guessing, but not reliable enough."
    return f"{check.judge} agreed with {share}, on English samples; your criteria may differ."


def _number(measure: Measure, value: float) -> str:
    return f"{value:.2f}" if measure.name == "kappa" else f"{100 * value:.0f} %"


def _interval(measure: Measure) -> str:
    low, high = _number(measure, measure.low), _number(measure, measure.high)
    return f"95 %: {low.removesuffix(' %')}–{high}"
