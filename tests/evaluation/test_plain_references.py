"""Templates that are filled in without a process give what the process gives."""

import random
from typing import Any

import pytest
from thorough import sample

from rubric_core.evaluation.templating.plain_references import filled_in
from rubric_core.sandbox.process import Sandbox

VALUES: dict[str, Any] = {
    "a": "text", "b": "", "c": "{{ a }} and {% if %}", "d": 'quotes " and \\ and \n lines\r\n', "e": 7, "f": True, "g": False, "_h": "ä\u2028\U0001f600",
    "i": -(2**53), "j": "}}", "k": "{", "range": "of its own", "class": "python's", "x": [1], "y": None, "z": 1.5, "big": 2**60,
}  # fmt: skip
PARTS = (
    "{{ a }}", "{{a}}", "{{\tb\n}}", "{{ c }}", "{{d}}", "{{e}}", "{{ f }}", "{{ g }}", "{{_h}}", "{{ i }}", "{{ j }}", "{{ k }}", "{{ class }}",
    "{{ range }}", "{{ x }}", "{{ y }}", "{{ z }}", "{{ big }}", "{{ lacking }}", "{{ env }}", "{{ true }}", "{{ a.b }}", "{{- a }}", "{{ a | upper }}",
    "{", "}", "{}", "}}", "{{", "{% raw %}{{ a }}{% endraw %}", "{# no #}", "%}", "#}", "\n", "\r\n", "\r", " ", "words", '"', "\\", "\u2028", "'",
)  # fmt: skip
FILLED = (
    "",
    "{{ a }}",
    "Say {{a}} to {{ c }}\n",
    '{"a": "{{ d }}"}',
    "{{ e }}{{ f }}{{g}}",
    "{ {{ i }} }",
    "a } b {{ j }}",
    "{{_h}}\u2028",
)
LEFT = (
    "{{ x }}", "{{ y }}", "{{ z }}", "{{ big }}", "{{ lacking }}", "{{ env }}", "{{ range }}", "{{ a | upper }}", "{{ a.b }}", "{{- a }}", "{{{ a }}}",
    "{% if a %}{% endif %}", "{{ a }}{# no #}", "{{ a }}\r\n", "{{ 'a' }}", "{{ a", "{{ }}", "{{ ä }}",
)  # fmt: skip


@pytest.fixture(scope="module")
def sandbox() -> Any:
    with Sandbox() as found:
        yield found


def rendered(sandbox: Sandbox, template: str) -> Any:
    return sandbox.call({"do": "render", "template": template, "values": VALUES, "filters": [], "plain": True}, 5.0)


@pytest.mark.parametrize("template", FILLED)
def test_names_and_texts_are_filled_in(sandbox: Sandbox, template: str) -> None:
    assert filled_in(template, VALUES) == rendered(sandbox, template)


@pytest.mark.parametrize("template", LEFT)
def test_anything_else_is_left_to_the_process(template: str) -> None:
    assert filled_in(template, VALUES) is None


@pytest.mark.parametrize("seed", sample(list(range(12)), 6))
def test_random_templates_give_what_the_process_gives(sandbox: Sandbox, seed: int) -> None:
    chance, count = random.Random(seed), 0
    for _ in range(400):
        template = "".join(chance.choices(PARTS, k=chance.randint(1, 5)))
        found = filled_in(template, VALUES)
        if found is not None:
            count += 1
            assert found == rendered(sandbox, template), template
    assert count > 40


def test_a_text_of_any_length_is_rendered_within_limits() -> None:
    assert filled_in("{{ a }}{{ a }}", {"a": "x" * 6_000_000}) is None
