"""`rubric judge check`: its report on a judge that is right, one that guesses, and one that cannot be called."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from judge_server import Fault, JudgeServer
from suites import Folder

from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.cli.judge import _words
from rubric_core.evaluation.judge_check.check import JudgeCheck, check_judge
from rubric_core.evaluation.judge_check.items import GradedItem, YesNoItem, graded_items, yes_items
from rubric_core.evaluation.judge_check.measures import Measure, kappa, measures_of
from rubric_core.evaluation.targets.resolve import load_targets
from rubric_core.ports import ProviderError

YES, GRADED = tuple(yes_items()), tuple(graded_items())


def test_guessing_is_worth_nothing_on_the_items() -> None:
    assert (len(YES), sum(item.met for item in YES), len(GRADED)) == (60, 30, 24)
    assert len({item.id for item in (*YES, *GRADED)}) == 84
    assert sorted(item.band for item in GRADED) == [(0, 3)] * 8 + [(4, 6)] * 8 + [(7, 10)] * 8


def numbers(said: Callable[[YesNoItem], bool | None], scored: Callable[[GradedItem], int | None]) -> dict[str, Measure]:
    found = measures_of([(i, said(i)) for i in YES], [(i, scored(i)) for i in GRADED])
    return {measure.name: measure for measure in found}


def rounded(measure: Measure) -> tuple[float, float, float]:
    return round(measure.value, 2), round(measure.low, 2), round(measure.high, 2)


def test_measures() -> None:
    right = numbers(lambda i: i.met, lambda i: i.band[1])
    assert [m.value for m in right.values()] == [1, 1, 0.5, 0, 1, 1]
    assert rounded(right["accuracy"]) == (1.0, 0.94, 1.0)
    always = numbers(lambda _: True, lambda _: 5)
    assert [m.value for m in always.values()] == [0.5, 0, 1, 0, pytest.approx(1 / 3), 0]
    assert rounded(always["accuracy"]) == (0.5, 0.38, 0.62)
    wrong = numbers(lambda i: not i.met, lambda i: 10 - i.band[1])
    assert (wrong["accuracy"].value, wrong["kappa"].value, wrong["in order"].value) == (0, -1, 0)
    silent = numbers(lambda _: None, lambda _: None)
    assert [m.value for m in silent.values()] == [0, 0, 0, 1, 0, 0]
    assert measures_of((), ())[0].value == 0


def test_kappa_and_its_interval() -> None:
    # 54 of 60 right, three mistakes on each side: (0.9 − 0.5) / (1 − 0.5).
    turned = {item.id for met in (True, False) for item in [i for i in YES if i.met is met][:3]}
    said = [(item, item.met is not (item.id in turned)) for item in YES]
    assert kappa(said) == pytest.approx(0.8)
    measure = measures_of(said, ())[1]
    assert measure == measures_of(said, ())[1]
    assert 0.6 < measure.low < 0.8 < measure.high < 1


def judge_of(right: Callable[[YesNoItem], bool], score: Callable[[GradedItem], int]) -> Callable[[dict[str, Any]], str]:
    """A judge that knows the items by their texts."""

    def reply(body: dict[str, Any]) -> str:
        asked = json.dumps(body["messages"], ensure_ascii=False)
        item = next(
            i for i in (*YES, *GRADED)
            if all(json.dumps(t, ensure_ascii=False)[1:-1] in asked for t in (i.answer, i.sheet.items[0].text))
        )  # fmt: skip
        said = {"score": score(item)} if isinstance(item, GradedItem) else {"satisfied": right(item)}
        return json.dumps({"checks": [{"id": "criterion", "reasoning": "x", **said}], "overall_reasoning": "y"})

    return reply


async def checked(folder: Folder, judge: JudgeServer) -> JudgeCheck:
    folder.targets(judge.target(max_retries=0))
    async with system_ports({}) as ports:
        _, provider = load_targets(folder.path, ports.files).provider("judge", ports)
        return await check_judge(provider, ports, workers=8)


async def test_a_judge_that_is_right(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [judge_of(lambda i: i.met, lambda i: i.band[0])]
    check = await checked(folder, judge)
    assert check.good
    assert (
        _words(check)
        == "judge agreed with 60 of 60 reference verdicts, 100 % (95 %: 94–100 %), on English samples; your criteria may differ."
    )
    assert (judge.most <= 8, len(judge.bodies)) == (True, 84)


async def test_a_judge_that_says_yes_to_everything(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [judge_of(lambda _: True, lambda _: 10)]
    check = await checked(folder, judge)
    assert (check.good, check.by_chance, len(check.wrong)) == (False, True, 30)
    assert (
        _words(check)
        == "judge is no better than guessing: it agreed with 30 of 60 reference verdicts, 50 % (95 %: 38–62 %). Do not use its verdicts."
    )


async def test_a_judge_that_is_better_than_guessing_and_not_good(folder: Folder, judge: JudgeServer) -> None:
    often = {item.id for item in YES[::4]}
    judge.replies = [judge_of(lambda i: i.met is not (i.id in often), lambda _: 5)]
    check = await checked(folder, judge)
    assert (check.good, check.by_chance) == (False, False)
    assert "better than guessing, but not reliable enough" in _words(check)


async def test_a_judge_whose_replies_cannot_be_used(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = ["I would say so"]
    check = await checked(folder, judge)
    assert (check.good, len(check.wrong)) == (False, 60)
    assert _words(check).startswith("judge gave no usable reply for 84 of 84 items")


async def test_a_judge_that_cannot_be_asked_is_not_judged(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [judge_of(lambda i: i.met, lambda _: 5)] * 3 + [Fault.error(401, "no such key")]  # type: ignore[list-item]
    with pytest.raises(ProviderError, match="the server requires a key"):
        await checked(folder, judge)
    assert len(judge.bodies) < 84


REPLY = json.dumps(
    {"checks": [{"id": "criterion", "satisfied": True, "score": 9, "reasoning": "x"}], "overall_reasoning": "y"}
)


def test_the_command(folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.path)
    folder.targets(
        {"name": "default", "provider": "mock", "grader_target": "yes"},
        {"name": "yes", "provider": "mock", "response": REPLY},
    )
    assert main(["judge", "check", "--wrong"]) == 1
    out = capsys.readouterr().out
    assert "✘ accuracy    50 %  95 %: 38–62 %    30 of 60  at least 80 %" in out
    assert "code-explanation/1/B: says met, is not met: States that the function computes the factorial of n" in out
    assert main(["judge", "check", "yes", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["good"], told["no_better_than_chance"], told["identity"]) == (False, True, "mock:yes")
    assert told["measures"][0] == {
        "name": "accuracy",
        "value": 0.5,
        "interval": [0.3774, 0.6226],
        "counted": "30 of 60",
        "bar": "at least 80 %",
        "met": False,
    }
    for arguments, words in (
        (["nobody"], "no target is called nobody"),
        (["--targets", "gone"], "there is no such file"),
    ):
        assert main(["judge", "check", *arguments]) == 2
        assert words in capsys.readouterr().err
    folder.mock("x")
    assert main(["judge", "check"]) == 2
    assert "the target default has no judge" in capsys.readouterr().err
