"""Templates of promptfoo, filled in as Nunjucks 3.2.4 fills them in, which gave these texts."""

from collections.abc import Iterator

import pytest

from rubric_core.evaluation.templating.nunjucks import TemplateError, Templates
from rubric_core.sandbox.process import Sandbox

VALUES = {
    "s": "hello world", "n": 3, "z": 0, "neg": -7, "l": ["b", "a", "c"], "el": [], "d": {"k": "v", "a": 1}, "ns": "3", "nul": None,
    "ld": [{"id": 1, "x": True, "nm": "Zed"}, {"id": 2, "nm": "amy"}], "big": 12345678901234567890, "sm": 1e-7, "h": "<b>Hi</b> & 'y'",
}  # fmt: skip
TEXTS = {
    "{{ neg % 4 }}": "-3", "{{ n / 2 }}": "1.5", "{{ n / z }}": "Infinity", "{{ z / z }}": "NaN", "{{ n // 2 }}": "1",
    "{{ n + '1' }}": "31", "{{ '5' * '2' }}": "10", "{{ s ~ nul }}": "hello worldnull", "{{ missing + 1 }}": "NaN", "{{ 2 ** 3 }}": "8",
    "{{ 0.1 + 0.2 }}": "0.30000000000000004", "{{ big }}": "12345678901234567000", "{{ sm | dump }}": "1e-7", "{{ -n }}": "-3",
    "{{ ns == 3 }} {{ ns === 3 }} {{ ns !== 3 }} {{ n === 3 }}": "true false true true", "{{ nul == missing }}": "true",
    "{{ '10' > 9 }} {{ '10' > '9' }}": "true false", "{{ 1 < 2 < 3 }} {{ 3 > 2 > 1 }}": "true false",
    "{% if el %}list{% endif %}{% if not s %}no{% endif %}": "list", "{{ z or 'none' }} {{ el or 'none' | dump }}": "none ",
    "{{ 'y' if el else 'n' }}": "y", "{% for i in d %}{{ i }}{% else %}none{% endfor %}": "none",
    "{% for k, v in d %}{{ k }}={{ v }};{% endfor %}": "k=v;a=1;", "{% for i in nul %}x{% endfor %}": "",
    "{% for a, b in [[1, 2], [3]] %}{{ a }}:{{ b }};{% endfor %}": "1:2;3:;",
    "{% switch n %}{% case 1 %}one{% case 2 %}{% case 3 %}three{% default %}many{% endswitch %}": "three",
    "{% switch n %}{% case '3' %}text{% endswitch %}": "", "{{ range(3) }}": "0,1,2", "{{ s.nothing }}{{ n.nothing }}": "",
    "{{ s | truncate(7) }} {{ s | truncate(3) }} {{ s | truncate(7, true, '!') }}": "hello... hel... hello w!",
    "{{ s | wordcount }}{{ '' | wordcount }}": "2", "{{ l | sort | join('-') }}": "a-b-c", "{{ ld | join(' ', 'nm') }}": "Zed amy",
    "{{ ld | selectattr('x') | length }}{{ ld | rejectattr('x') | length }}": "11", "{{ ld | groupby('id') | dump }}":
    '{"1":[{"id":1,"x":true,"nm":"Zed"}],"2":[{"id":2,"nm":"amy"}]}', "{{ 2.5 | round }} {{ -2.5 | round }}": "3 -2",
    "{{ '5 cats' | int }} {{ 'x' | int(7) }} {{ '2.5x' | float }}": "5 7 2.5", "{{ h | escape }}": "&lt;b&gt;Hi&lt;/b&gt; &amp; &#39;y&#39;",
    "{{ l | batch(2) | dump }} {{ l | slice(2) | dump }}": '[["b","a"],["c"]] [["b","a"],["c"]]', "{{ d | length }}{{ nul | length }}": "20",
    "{{ missing | default('D') }} {{ nul | default('D') }} {{ z | default('D', true) }}": "D  D", "{{ l | reverse }}": "c,a,b",
    "{{ d | dump(1) }}": '{\n "k": "v",\n "a": 1\n}', "{{ 'a' in l }} {{ 'k' in d }} {{ 'ell' in s }}": "true true true",
}  # fmt: skip
#: What Nunjucks does not fill in, or rubric refuses rather than guess.
REFUSED = (
    "{{ l | max }}", "{{ d | tojson }}", "{{ d | join }}", "{{ n | upper }}", "{{ nul | trim }}", "{{ 'a' in missing }}", "{{ s.toUpperCase() }}",
    "{% set t = 0 %}{% for x in l %}{% set t = t + 1 %}{% endfor %}{{ t }}",
)  # fmt: skip


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    made = Sandbox()
    yield made
    made.close()


@pytest.mark.parametrize("template", TEXTS)
def test_a_template_gives_what_nunjucks_gives(template: str, sandbox: Sandbox) -> None:
    assert Templates(VALUES, {}, sandbox, is_plain=True).text(template) == TEXTS[template]


@pytest.mark.parametrize("template", REFUSED)
def test_a_template_is_refused(template: str, sandbox: Sandbox) -> None:
    with pytest.raises(TemplateError):
        Templates(VALUES, {}, sandbox, is_plain=True).text(template)
