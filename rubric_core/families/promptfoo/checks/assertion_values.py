"""Values of assertions of a kind that makes the row an error, or that promptfoo does not read."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.values import is_date
from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language import measured_assertions as measured
from rubric_core.families.promptfoo.language import text_assertions as texts
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS
from rubric_core.language.closest_name import closest
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted, rename_key
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.fixes import remove_item_fix
from rubric_core.validation.rule import Context, Finding, Fix, Severity, checks

_ADDRESS = pattern(r"\s{0,9}(?:https?://|file://|package:|.{0,99}\{\{)")
_SQL = ("databaseType", "allowedTables", "allowedColumns")
#: What the package node-sql-parser calls the databases that it knows.
_DATABASES = (
    "Athena", "BigQuery", "DB2", "FlinkSQL", "Hive", "MariaDB", "MySQL", "NoQL", "Postgresql", "Redshift", "Snowflake", "Sqlite", "TransactSQL",
    "Trino",
)  # fmt: skip
#: Assertions that take texts, and no dates.
_TEXTS = (
    texts.Contains, texts.IContains, texts.StartsWith, texts.Regex, texts.ContainsAny, texts.ContainsAll, texts.IContainsAny, texts.IContainsAll,
    measured.Levenshtein,
)  # fmt: skip


#: Assertions that read no value, and of these the ones that compare a score with a threshold.
_WITH_THRESHOLD = (
    graded.AnswerRelevance, graded.ContextRelevance, graded.ContextFaithfulness, graded.ConversationRelevance, measured.Perplexity,
    measured.PerplexityScore,
)  # fmt: skip
_WITHOUT_VALUE = (*_WITH_THRESHOLD, measured.IsRefusal, measured.Guardrails)
#: Assertions that take a list of texts.
_TEXT_LISTS = (texts.ContainsAny, texts.ContainsAll, texts.IContainsAny, texts.IContainsAll)


@checks("promptfoo/value-kind", "invalid-value")
def values_of_another_kind(shape: Assertion, context: Context) -> Iterator[Finding]:
    """A `value` of a kind that the type of its assertion cannot use."""
    place = shape.places.get("value")
    if place is None or place.borrowed:
        return
    node = place.node
    if isinstance(shape, texts.IsSql | texts.ContainsSql):
        yield from _of_sql(node)
    elif isinstance(shape, texts.IsJson | texts.ContainsJson):
        # promptfoo takes `false` and 0 for no schema.
        if isinstance(node, Scalar) and isinstance(node.value, bool | int | float) and node.value:
            yield Finding(
                node.span, "the value is a JSON Schema: a mapping, or a text", severity="error", consequence=ROW_ERRORS
            )
    elif isinstance(shape, graded.WebhookCall):
        if isinstance(node, Scalar) and _ADDRESS.match(node.text) is None:
            words = "the value is an address, which begins with https:// or http://"
            yield Finding(node.span, words, severity="warning", consequence="the assertion fails on every output")
    elif isinstance(shape, _WITHOUT_VALUE):
        yield from _unread(shape, place)
    elif isinstance(shape, measured.FinishReason):
        yield from _finish_reason(node)
    elif isinstance(shape, measured.WordCount):
        if isinstance(node, Mapping) and (node.get("min") is not None or node.get("max") is not None):
            yield from _unread_keys(node, ("min", "max"), "a number of words")
    elif isinstance(shape, _TEXTS):
        yield from _items_as_text(node, context) if isinstance(shape, _TEXT_LISTS) else ()
        for each in node.items if isinstance(node, Sequence) else [node]:
            if isinstance(each, Scalar) and is_date(each):
                fixes = (Fix(f"write {quoted(each.text)}", (Edit(each.span, quoted(each.text)),)),)
                words = "promptfoo reads this as a date; write it in quotes"
                consequence = ROW_ERRORS if each is node else "it looks for `[object Object]`"
                severity: Severity = "error" if each is node else "warning"
                yield Finding(each.span, words, fixes=fixes, severity=severity, consequence=consequence)


def _unread(shape: Assertion, place: FieldPlace) -> Iterator[Finding]:
    """A value of a type that has none; a share of 1 is meant for the threshold."""
    value = place.node.value if isinstance(place.node, Scalar) else None
    is_share = isinstance(value, int | float) and not isinstance(value, bool)
    if is_share and isinstance(shape, _WITH_THRESHOLD) and not shape.has("threshold"):
        entry = shape.node.entry("value") if isinstance(shape.node, Mapping) else None
        fixes = (Fix("change it to `threshold`", (rename_key(entry, "threshold"),)),) if entry is not None else ()
        words = f"`{shape.type_name}` takes no `value`; did you mean `threshold`?"
        yield Finding(place.key, words, fixes=fixes, severity="warning", consequence="every score passes")
    elif not isinstance(place.node, Scalar) or place.node.style != "hole":
        words = f"`{shape.type_name}` takes no `value`"
        yield Finding(place.key, words, severity="hint", consequence="promptfoo does not read it")


def _finish_reason(node: Node) -> Iterator[Finding]:
    """A reason that models of vendors never give, since promptfoo calls it otherwise. Programs may give any."""
    if isinstance(node, Sequence | Mapping) and not (isinstance(node, Mapping) and node.get("$ref") is not None):
        yield Finding(node.span, "the reason is one text, as in `stop`", severity="error", consequence=ROW_ERRORS)
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or "{" in node.text:
        return
    written = node.text.strip().lower()
    given = measured.FINISH_REASONS
    meant = given.get(written) or closest(written, sorted(set(given.values())))
    if meant is None or meant == written:
        return
    words = (
        f"promptfoo calls this `{meant}`"
        if written in given
        else f"no model stops for `{node.text}`; did you mean `{meant}`?"
    )
    fixes = (Fix(f"change it to `{meant}`", (Edit(node.span, meant),), safe=False),)
    consequence = "only a program gives another reason"
    yield Finding(node.span, words, fixes=fixes, severity="warning", consequence=consequence)


def _items_as_text(node: Node, context: Context) -> Iterator[Finding]:
    """Items that are no texts: promptfoo looks for what JavaScript makes of them."""
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping) and item.get("$ref") is None:
            fixes = tuple(_only_text(item))
            words, looked_for = "an item of `value` is a mapping; it should be a text", "[object Object]"
        elif isinstance(item, Sequence):
            words, looked_for, fixes = "an item of `value` is a list; it should be a text", "", ()
        elif isinstance(item, Scalar) and item.value is None and item.style != "hole":
            words, looked_for = "an item of `value` is empty; it should be a text", "null"
            fixes = remove_item_fix(node, item, context)
        else:
            continue
        consequence = (
            f"promptfoo looks for `{looked_for}`" if looked_for else "promptfoo looks for its items with commas between"
        )
        yield Finding(item.span, words, fixes=fixes, severity="warning", consequence=consequence)


def _only_text(item: Mapping) -> Iterator[Fix]:
    """The text of a mapping that has nothing else."""
    only = item.entries[0].value if len(item.entries) == 1 else None
    if isinstance(only, Scalar) and isinstance(only.value, str) and not only.is_block:
        yield Fix("write only the text", (Edit(item.span, quoted(only.text)),), safe=False)


def _of_sql(node: Node) -> Iterator[Finding]:
    if isinstance(node, Scalar):
        if node.value is not None and not node.text.startswith("file://") and "{{" not in node.text:
            words = "the value is a mapping, as in `{databaseType: MySQL}`"
            yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)
        return
    yield from _unread_keys(node, _SQL, "SQL")
    database = node.get("databaseType") if isinstance(node, Mapping) else None
    if (
        isinstance(database, Scalar)
        and database.text.lower() not in map(str.lower, _DATABASES)
        and "{{" not in database.text
    ):
        meant = closest(database.text, _DATABASES)
        advice = f"; did you mean `{meant}`?" if meant else f"; it is one of {', '.join(_DATABASES)}"
        fixes = (Fix(f"change it to `{meant}`", (Edit(database.span, meant),)),) if meant else ()
        yield Finding(
            database.span, f"there is no database `{database.text}`{advice}", fixes=fixes, severity="warning",
            consequence="the assertion fails on every output",
        )  # fmt: skip


def _unread_keys(node: Node, known: tuple[str, ...], what: str) -> Iterator[Finding]:
    entries = node.entries if isinstance(node, Mapping) else []
    present = {entry.name for entry in entries}
    for entry in entries:
        if entry.name in (*known, "<<", "$ref"):
            continue
        meant = closest(entry.name or "", tuple(each for each in known if each not in present))
        advice = f"; did you mean `{meant}`?" if meant else ""
        fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),) if meant else ()
        yield Finding(
            entry.key.span, f"{what} has no setting `{entry.name}`{advice}", fixes=fixes, severity="warning",
            consequence="promptfoo does not read it",
        )  # fmt: skip
