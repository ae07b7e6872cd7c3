"""The places of providers in a promptfoo configuration: in the list, in cases, and as graders."""

from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.listed_entries import without_member
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.provider_ids import GRADER_ROLES
from rubric_core.families.promptfoo.loading.case_files import DATA
from rubric_core.families.promptfoo.loading.lookup import PromptfooLookup
from rubric_core.families.promptfoo.loading.programs import METHODS, PROVIDER_FUNCTIONS
from rubric_core.language.shape import FieldPlace, Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL
from rubric_core.loading.reference_issues import BrokenProgram
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["EXEC", "ProviderPlaces"]

#: The extensions of programs that promptfoo starts for each row; it loads others at the start.
_RUN_BY_ROW = (".py", ".rb", ".go")
_PROGRAMS = ("python:", "golang:", "ruby:")
#: The models whose tools and formats may be files.
_WITH_FILES = ("openai:", "azure:", "azureopenai:", "anthropic:")
#: HTTP settings that may be functions in files, or the text of a request.
_FILES_OF_HTTP = ("transformResponse", "responseParser", "transformRequest", "validateStatus", "request")
#: The prefix of a prompt or provider that is a command.
EXEC = "exec:"
#: Programs whose first argument is a script, unless it is an option.
_INTERPRETERS = frozenset(
    {"bash", "bun", "deno", "node", "perl", "php", "python", "python3", "ruby", "sh", "tsx", "zsh"}
)

#: A function of a file that promptfoo does not look for.
_JAVASCRIPT_FUNCTION = pattern(r"\.(?:[cm]?[jt]s):[A-Za-z_$][\w$]{0,60}\Z")


#: What promptfoo adds to the settings of a provider.
_OF_PROMPTFOO = ("basePath",)


class ProviderPlaces(PromptfooLookup):
    """Resolves the programs, files and commands of providers."""

    def providers(self, place: FieldPlace) -> None:
        """The providers of a configuration."""
        for node in place.node.items if isinstance(place.node, Sequence) else [place.node]:
            self.provider(node, listed=True, settings=_OF_PROMPTFOO)
            entry = node.entries[0] if isinstance(node, Mapping) and len(node.entries) == 1 else None
            if entry is not None and isinstance(entry.value, Mapping) and entry.value.get("id") is None:
                self._settings(entry.name or "", entry.value.get("config"))

    def provider(
        self, node: Node | None, consequence: str = STOPS, *, listed: bool = False, settings: tuple[str, ...] = ()
    ) -> None:
        """A provider by its id: a file of settings, or a program.

        `consequence` is for a file that is loaded at the start; `listed`: whether a file may have several;
        `settings` are those that it gets, if they are known.
        """
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            return
        if node.text.startswith(EXEC):
            self.command(node)
        program = next((p for p in _PROGRAMS if node.text.startswith(p)), "")
        name = without_member(node.text.removeprefix(program).removeprefix(URL))
        if not program and not node.text.startswith(URL):
            return
        found = self.paths(name)
        loaded = ROW_ERRORS if name.endswith(_RUN_BY_ROW) else consequence
        if found == ():
            self.missing(node, name, loaded)
        for path in found or ():
            if path.suffix.lower() in DATA:
                self.files[path] = PromptfooFile.PROVIDERS if listed else PromptfooFile.PROVIDER
        function = _JAVASCRIPT_FUNCTION.search(node.text)
        if found and function is not None:
            words = "is a provider as a whole: promptfoo takes no function of it"
            self.issues.append(BrokenProgram(span=node.span, node=node, name=name, trouble=words, consequence=STOPS))
            return
        self.program(
            node, name, found, loaded, PROVIDER_FUNCTIONS, METHODS, ruby=True, exported="class", role="provider",
            settings=settings,
        )  # fmt: skip

    def grader(self, shape: Shape) -> None:
        """A grading model: its id, or a mapping with one, or one for each role."""
        place = shape.places.get("provider")
        node = place.node if place is not None and not place.borrowed else None
        roles = [node.get(role) for role in GRADER_ROLES] if isinstance(node, Mapping) else []
        for each in (node, *roles):
            self.provider(each.get("id") if isinstance(each, Mapping) else each, ROW_ERRORS)

    def configured(self, shape: ConfiguredProvider) -> None:
        """A provider that is a mapping."""
        self.provider(shape.places["id"].node if shape.has("id") else None, settings=_settings_of(shape))

    def settings(self, shape: ConfiguredProvider) -> None:
        """The files in the settings of a model."""
        place = shape.places.get("config")
        if place is not None and not place.borrowed:
            self._settings(str(shape.id), place.node)

    def _settings(self, identity: str, settings: Node | None) -> None:
        if not isinstance(settings, Mapping):
            return
        if identity.startswith(_WITH_FILES):
            self._tools(settings.get("tools"))
            for name in ("functions", "response_format"):
                self.needs(settings.get(name), ROW_ERRORS)
        elif identity.startswith("http"):
            for name in _FILES_OF_HTTP:
                self.needs(settings.get(name), STOPS)

    def _tools(self, tools: Node | None) -> None:
        """The files of tools: one, or several in a list."""
        for node in tools.items if isinstance(tools, Sequence) else [tools]:
            found = self.needs(node, ROW_ERRORS) or ()
            self.files.update({path: PromptfooFile.TOOLS for path in found if path.suffix.lower() in DATA})

    def command(self, node: Scalar) -> None:
        """The program of a command, or the script that an interpreter is given."""
        words = node.text.removeprefix(EXEC).split()
        if words and words[0] in _INTERPRETERS:
            words = words[1:] if words[1:] and "." in words[1] else []
        elif not words or "/" not in words[0]:
            return
        if words and not words[0].startswith(("-", "~", '"', "'")) and self.paths(words[0], folders=True) == ():
            self.missing(node, words[0], ROW_ERRORS)


def _settings_of(shape: ConfiguredProvider) -> tuple[str, ...]:
    """The names of the settings of a provider; none if there may be more than the text shows."""
    place = shape.places.get("config")
    if place is None:
        return _OF_PROMPTFOO
    entries = place.node.entries if isinstance(place.node, Mapping) and not place.borrowed else []
    names = [entry.name for entry in entries if entry.name is not None and entry.name not in ("<<", "$ref")]
    is_known = isinstance(place.node, Mapping) and not place.borrowed and len(names) == len(entries)
    return (*_OF_PROMPTFOO, *sorted(names)) if is_known else ()
