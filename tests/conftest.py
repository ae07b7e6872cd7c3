"""Makes `harness` importable for every test, and its assertions readable."""

import pytest

pytest.register_assert_rewrite("harness")
