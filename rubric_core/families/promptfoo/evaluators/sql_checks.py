"""Assertions about SQL, which the npm package node-sql-parser reads, as in promptfoo."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rubric_core.families.promptfoo.code.npm_packages import NPM_PACKAGES, call_package
from rubric_core.families.promptfoo.evaluators.handler import (
    AssertionParams,
    GradingResult,
    Handler,
    pass_or_fail,
    row_error,
)
from rubric_core.families.promptfoo.model.assertion import NO_VALUE

__all__ = ["SQL_CHECKS"]

_USUAL = "MySQL"
_OF_MYSQL = frozenset({"MySQL", "MariaDB"})
_WITH_BRACKETS = frozenset({"TransactSQL", "Sqlite"})
#: Texts, quoted names and comments; an unclosed one extends to the end.
_QUOTED = (
    r"""'(?:\\(?:.|\Z)|''|[^'\\])*(?:'|\Z)|"(?:\\(?:.|\Z)|""|[^"\\])*(?:"|\Z)|`(?:\\(?:.|\Z)|``|[^`\\])*(?:`|\Z)"""
)
_IN_DOLLARS = r"(?P<dollars>\$(?:[A-Za-z_][A-Za-z0-9_]*)?\$).*?(?:(?P=dollars)|\Z)"
_IN_BRACKETS = r"\[(?:\]\]|[^\]])*(?:\]|\Z)"
_COMMENT = r"--[^\r\n]*|\#[^\r\n]*|/\*.*?(?:\*/|\Z)"
_IGNORED = {
    False: re.compile(rf"(?P<value>{_QUOTED}|{_IN_DOLLARS})|{_COMMENT}", re.DOTALL),
    True: re.compile(rf"(?P<value>{_QUOTED}|{_IN_BRACKETS}|{_IN_DOLLARS})|{_COMMENT}", re.DOTALL),
}
_MODIFIER = r"(?:all|distinct)"
_MODIFIER_OF_MYSQL = r"(?:all|distinct(?:row)?|high_priority|straight_join|sql_(?:big_result|buffer_result|cache|calc_found_rows|no_cache|small_result))"


def _without_comma(modifier: str) -> re.Pattern[str]:
    """`select a b from`: two columns without a comma between them, which the parser takes for a column and its other name."""
    name = r"[A-Za-z_][A-Za-z0-9_]*"
    return re.compile(
        rf"\bselect\s+(?:{modifier}\s+)*(?!{modifier}\b){name}\s+{name}\s+from\b", re.IGNORECASE | re.ASCII
    )


_COLUMNS_WITHOUT_COMMA = {True: _without_comma(_MODIFIER_OF_MYSQL), False: _without_comma(_MODIFIER)}
_SERIES = re.compile(r"\bgenerate_series\s*\(", re.IGNORECASE | re.ASCII)
_FENCE = re.compile(r"[ \t]{0,3}(?P<fence>`{3,99}|~{3,99})(?P<language>[^\r\n]*)")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_IN_JAVASCRIPT = """\
const parser = new loaded.Parser(), options = {database};
const tried = call => { try { call(); return null; } catch (error) { return String(error.message); } };
const refused = (type, allowed, list) => {
  if (!allowed) return null;
  options.type = type;
  const message = tried(() => parser.whiteListCheck(sql, allowed, options));
  let named = [];
  if (message !== null) tried(() => { named = parser.parse(sql, options)[list] || []; });
  return message === null ? null : {message, named};
};
const valid = tried(() => parser.astify(sql, options)) === null;
const tables = refused('table', allowedTables, 'tableList');
const either = allowedColumns && [...allowedColumns, ...allowedColumns.map(each => each.split('::'))
  .filter(parts => parts.length === 3 && parts[1] !== 'null').map(parts => `${parts[0]}::null::${parts[2]}`)];
return {valid, tables, columns: refused('column', either, 'columnList')};
"""


async def _is_sql(params: AssertionParams) -> GradingResult:
    trouble = await _trouble(params, params.text)
    return pass_or_fail(params, not trouble, trouble, "the output is SQL")


async def _contains_sql(params: AssertionParams) -> GradingResult:
    trouble = "there is no SQL in the output"
    for candidate in list(_fenced(params.text)) or [params.text]:
        if candidate.strip():
            trouble = await _trouble(params, candidate)
            if not trouble:
                break
    return pass_or_fail(params, not trouble, trouble, "there is SQL in the output")


async def _trouble(params: AssertionParams, sql: str) -> str:
    """Why a text is not the required SQL; empty if it is. Raises GraderError."""
    settings = _settings(params)
    database = settings.get("databaseType") or _USUAL
    arguments = {"sql": sql, "database": database, **{n: settings.get(n) for n in ("allowedTables", "allowedColumns")}}
    package = NPM_PACKAGES[params.config.base_type]
    found = await call_package(package, _IN_JAVASCRIPT, arguments, params.context, params.config)
    if not found["valid"] or _is_suspect(sql.strip(), str(database)):
        return f"the output is no SQL of {database}"
    for kind in ("tables", "columns"):
        if found[kind] is not None:
            named = ", ".join(map(str, found[kind]["named"]))
            return f"the SQL names other {kind} than the allowed ones: {named or found[kind]['message']}"
    return ""


def _settings(params: AssertionParams) -> Mapping[str, Any]:
    value = params.value
    if value is NO_VALUE or not value or isinstance(value, list):
        return {}
    if not isinstance(value, Mapping):
        raise row_error(params, "needs a mapping as `value`")
    return value


def _is_suspect(sql: str, database: str) -> bool:
    """Whether a text that a lenient parser takes is refused."""
    plain = _IGNORED[database in _WITH_BRACKETS].sub(lambda found: " ? " if found["value"] else " ", sql)
    return (
        not sql
        or sql.count("`") % 2 == 1
        or _COLUMNS_WITHOUT_COMMA[database in _OF_MYSQL].search(plain) is not None
        or (database == _USUAL and _SERIES.search(sql) is not None)
    )


def _fenced(text: str) -> Iterator[str]:
    """The fenced blocks that are marked as SQL or have no language."""
    fence, is_sql, body = "", False, list[str]()
    for line in _LINE_BREAK.split(text):
        found = _FENCE.fullmatch(line)
        if not fence:
            if found is not None:
                fence, is_sql, body = found["fence"], found["language"].strip().lower() in ("", "sql"), []
        elif found is not None and found["fence"].startswith(fence) and not found["language"].strip():
            if is_sql:
                yield "\n".join(body).strip()
            fence = ""
        else:
            body.append(line)


SQL_CHECKS: Mapping[str, Handler] = {"is-sql": _is_sql, "contains-sql": _contains_sql}
