"""The settings, each declared once. Editors send them when they connect, and again when they change."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from rubric_core.lazy_compilation import dataclass, field, replace

__all__ = ["SECTION", "Settings"]

#: The section of the editor's configuration.
SECTION = "rubric"
#: In the same section, but used only by the editor.
_OF_THE_EDITOR = frozenset({"server", "trace"})


def _setting(name: str, default: Any, doc: str, **more: Any) -> Any:
    return field(default=default, metadata={"name": name, "doc": doc, **more})


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's settings. `metadata["name"]` is the name in an editor."""

    # Not from the workspace: a repository could otherwise grant itself permission to execute programs.
    trusted: bool = _setting("trusted", False, "Whether suites in the open folders may run.", startup_only=True)
    dialect: str = _setting(
        "dialect", "", "The dialect of suites that do not name one. Leave it empty to infer it from their keys."
    )
    inlay_hints: bool = _setting("inlayHints", True, "Whether results and derived values are shown beside the text.")
    weight_hints: bool = _setting("weightHints", True, "Whether each weight shows the share that it amounts to.")
    band_hints: bool = _setting("bandHints", True, "Whether bands in map form show their highest score.")
    inherited_hints: bool = _setting(
        "inheritedHints", True, "Whether a case shows the evaluators that it inherits from its suite."
    )
    required_hints: bool = _setting(
        "requiredHints", True, "Whether a criterion that is required by default is marked as such."
    )
    code_lenses: bool = _setting("codeLenses", True, "Whether a “Run” lens is shown above cases.")
    reference_lenses: bool = _setting(
        "referenceLenses",
        False,
        "Whether the number of references is shown above targets, and above cases that others depend on.",
    )
    check_workspace: bool = _setting(
        "checkWorkspace", True, "Whether suites that are not open in the editor are also checked."
    )
    show_passed: bool = _setting(
        "showPassed", False, "Whether cases and criteria that passed are listed among the problems, as information."
    )

    def changed(
        self, given: object, dialects: Iterable[str] = (), *, startup: bool = False
    ) -> "tuple[Settings, list[str]]":
        """These settings with those `given`, and a sentence for each invalid one."""
        if given is None:
            return self, []
        if not isinstance(given, Mapping):
            return self, [f"the settings are a {_word(given)}, not a table of names"]
        known = {f.metadata["name"]: f for f in fields(self)}
        changes: dict[str, Any] = {}
        problems: list[str] = []
        for name, value in given.items():
            setting = known.get(name)
            if value is None or name in _OF_THE_EDITOR:
                continue
            if setting is None:
                problems.append(f"there is no setting {SECTION}.{name}; there are {', '.join(known)}")
            elif setting.metadata.get("startup_only") and not startup:
                problems.append(
                    f"{SECTION}.{name} is read only when the editor starts the server, not from a workspace"
                )
            elif type(value) is not type(setting.default):
                wanted = "true or false" if isinstance(setting.default, bool) else "a text"
                problems.append(f"{SECTION}.{name} must be {wanted}, found {_shown(value)}")
            elif name == "dialect" and value and dialects and value not in (names := tuple(dialects)):
                problems.append(f"{SECTION}.dialect: there is no dialect {value}; there are {', '.join(names)}")
            else:
                changes[setting.name] = value
        return replace(self, **changes), problems


def _word(value: object) -> str:
    return {bool: "truth value", int: "number", float: "number", str: "text", list: "list"}.get(type(value), "value")


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else f"a {_word(value)}"
