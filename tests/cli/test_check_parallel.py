"""Many files on several processors: the same as on one."""

import os

import pytest
from command import BROKEN, CLEAN, Run, write

from rubric_core.cli import parallel
from rubric_core.cli.parallel import mapped

# The threads are those of the test runner.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture(autouse=True)
def processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
class TestMapped:
    @pytest.mark.parametrize("number", [0, 1, 23, 48, 71, 72, 100])
    def test_the_order_stays(self, number: int) -> None:
        assert mapped(lambda n: n * n, range(number)) == [n * n for n in range(number)]

    def test_others_do_a_part_of_it(self) -> None:
        assert len(set(mapped(lambda _: os.getpid(), range(100)))) == 3
        assert len(set(mapped(lambda _: os.getpid(), range(40)))) == 1

    def test_large_results_arrive(self) -> None:
        assert sum(map(len, mapped(lambda _: "x" * 100_000, range(100)))) == 10_000_000

    def test_what_a_helper_fails_to_do_is_done_here(self) -> None:
        here = os.getpid()

        def only_here(n: int) -> int:
            if os.getpid() != here:
                os._exit(9)
            return n

        assert mapped(only_here, range(100)) == list(range(100))

    def test_an_error_is_seen(self) -> None:
        with pytest.raises(ZeroDivisionError):
            mapped(lambda n: 1 // (n - 50), range(100))


def test_a_check_of_many_files_says_the_same(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(90):
        write(f"evals/{n:02}.eval.yaml", (BROKEN, CLEAN, b"\xff")[n % 3])
    several = rubric("check", "--format", "json"), rubric("check"), rubric("check", "--diff")
    monkeypatch.setattr(parallel, "_processors", lambda: 1)
    one = rubric("check", "--format", "json"), rubric("check"), rubric("check", "--diff")
    assert several[0] == one[0]
    assert len(one[0].json) == 60
    assert [(r.code, r.err.split(" · ")[0]) for r in several] == [(r.code, r.err.split(" · ")[0]) for r in one]
    assert [r.out.rsplit(" · ", 1)[0] for r in several] == [r.out.rsplit(" · ", 1)[0] for r in one]
