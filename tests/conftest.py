"""Makes `harness` importable for every test, and its assertions readable; generated examples are the same every time."""

import signal

import hypothesis
import pytest

pytest.register_assert_rewrite("harness")
# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("same every time", deadline=None, derandomize=True)
hypothesis.settings.load_profile("same every time")
# Programs that are started by a shell in its background ignore interrupts, and so would those that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
