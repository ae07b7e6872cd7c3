"""Makes `harness` importable for every test, and its assertions readable; generated examples are the same every time."""

import hypothesis
import pytest

pytest.register_assert_rewrite("harness")
# How long an example takes says how busy the machine is.
hypothesis.settings.register_profile("same every time", deadline=None, derandomize=True)
hypothesis.settings.load_profile("same every time")
