"""Makes `harness` importable for every test, and its assertions readable; generated examples are the same every time."""

import gc
import signal

import hypothesis
import pytest

pytest.register_assert_rewrite("harness")
# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("same every time", deadline=None, derandomize=True)
hypothesis.settings.load_profile("same every time")
# Programs that a shell starts in its background ignore interrupts, those below `nohup` that the terminal is gone; so would those
# that tests start and stop.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (getattr(signal, "SIGHUP", None), signal.SIG_DFL)):
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)


def pytest_collection_finish() -> None:
    """Keep thousands of tests, which stay until the end, out of every collection of garbage."""
    gc.collect()
    gc.freeze()
