"""The shapes of the place that a target works in: workspaces with their hooks and repositories, and environments."""

from typing import ClassVar

from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, Choice, Integer, ListOf, MapOf, NodeUnion, Number, Text

__all__ = [
    "Checkout", "Clone", "Container", "Environment", "Hook", "Hooks", "Mount", "Repo", "RepoSource", "Requirements",
    "Resources", "Setup", "Workspace",
]  # fmt: skip

_PROGRAM = Text(refers_to="program", beside=True)
_COMMAND = NodeUnion(text=_PROGRAM, sequence=ListOf(_PROGRAM, empty=False))
_DIRECTORY = Text(refers_to="directory", beside=True)
_MILLISECONDS = Number(above=0, unit="ms")


class Hook(Shape):
    """A hook: a program that prepares a workspace or cleans it up."""

    command = key(_COMMAND, "The program and its arguments.", example="[python, setup.py]")
    cwd = key(_DIRECTORY, "The working directory.", shown="the directory of the file")
    timeout_ms = key(_MILLISECONDS, "The longest that it may take, in milliseconds.", example="60000")
    reset = key(
        Choice((
            ("none", "the workspace stays as it is"), ("fast", "changed files are put back"), ("strict", "every file is put back"),
        )),
        "How to reset the workspace after each case.", example="fast",
    )  # fmt: skip


class Hooks(Shape):
    """A hooks block: the programs around the cases."""

    enabled = key(Boolean(), "Whether the hooks run.", default=True, shown="true")
    before_all = key(Shaped(Hook), "Before the first case.", example="{command: [python, setup.py]}")
    before_each = key(Shaped(Hook), "Before each case.")
    after_each = key(Shaped(Hook), "After each case.")
    after_all = key(Shaped(Hook), "After the last case.")


class RepoSource(Shape):
    """A source: where a repository comes from."""

    type = key(
        Choice((("git", "an address"), ("local", "a directory"))),
        "The kind of source.",
        required=True,
        example="git",
    )
    url = key(Text(), "The address.", example="https://github.com/org/repo.git")
    path = key(Text(), "The directory.")


class Checkout(Shape):
    """A checkout: which version of a repository is taken."""

    ref = key(Text(), "A branch, tag or commit.", example="main")
    base_commit = key(Text(), "The commit to start from.")
    resolve = key(
        Choice((("remote", "asked of the source"), ("local", "asked of the copy"))), "Where to look up the name."
    )
    ancestor = key(Integer(at_least=0), "The number of commits before it.")


class Clone(Shape):
    """A clone: how much of a repository is fetched."""

    depth = key(Integer(at_least=1), "The number of commits of its history to fetch.", example="1")
    filter = key(Text(), "Git's filter for objects.")
    sparse = key(ListOf(Text()), "The directories to fetch.")


class Repo(Shape):
    """A repository: what is put into a workspace."""

    path = key(Text(), "Its path inside the workspace.", example="./repo")
    repo = key(Text(), "Its address.", required=True, group="source", example="https://github.com/org/repo.git")
    source = key(Shaped(RepoSource), "Where it comes from.", required=True, group="source")
    commit = key(Text(), "The commit to take.")
    base_commit = key(Text(), "The commit to start from.")
    ancestor = key(Integer(at_least=0), "The number of commits before it.")
    sparse = key(ListOf(Text()), "The directories to fetch.")
    checkout = key(Shaped(Checkout), "Which version is taken.")
    clone = key(Shaped(Clone), "How much of it to fetch.")


class Container(Shape):
    """A container: the image that the target works in."""

    image = key(Text(), "The image.", required=True, example="python:3.12")
    timeout = key(Number(above=0, unit="s"), "The longest that it may take, in seconds.")
    memory = key(NodeUnion(text=Text(), number=Number()), "The most memory.", example="2g")
    cpus = key(Number(above=0), "How many processors.", example="2")


class Requirements(Shape):
    """A requirements block: what has to be installed."""

    required_commands = key(ListOf(Text()), "Programs that must be installed.", example="[git]")
    required_python_modules = key(ListOf(Text()), "Python modules that must be installed.", example="[pandas]")


class Workspace(Shape):
    """A workspace: the directory in which the target works."""

    template = key(_DIRECTORY, "A directory; the target works in a copy of it.", example="./workspace")
    isolation = key(
        Choice((("shared", "all cases share one"), ("per_test", "every case has its own"))),
        "Whether cases share it.", default="shared", shown="shared", example="per_test",
    )  # fmt: skip
    mode = key(
        Choice((("pooled", "kept and used again"), ("temp", "created again and thrown away"), ("static", "an existing directory"))),
        "How it is made.", example="temp",
    )  # fmt: skip
    path = key(_DIRECTORY, "The existing directory, with mode static.")
    repos = key(
        ListOf(Shaped(Repo)),
        "Repositories to check out in it.",
        example="[{path: ./repo, repo: https://github.com/org/repo.git}]",
    )
    hooks = key(Shaped(Hooks), "Programs around the cases.", example="{before_all: {command: [python, setup.py]}}")
    before_all = key(Shaped(Hook), "A program that runs before the first case.")
    before_each = key(Shaped(Hook), "A program that runs before each case.")
    after_each = key(Shaped(Hook), "A program that runs after each case.")
    after_all = key(Shaped(Hook), "A program that runs after the last case.")
    docker = key(Shaped(Container), "The container that it is in.", example="{image: 'python:3.12'}")
    env = key(Shaped(Requirements), "Required programs and modules.")
    static_path = key(_DIRECTORY, "The existing directory.")
    pool = key(Anything(), "Whether workspaces are kept.")
    static = key(Anything(), "Whether an existing directory is used.")


class Setup(Shape):
    """A setup: the program that prepares an environment."""

    command = key(
        ListOf(Text(), empty=False), "The program and its arguments.", required=True, example="[python, setup.py]"
    )
    cwd = key(Text(), "The working directory.")
    timeout_ms = key(_MILLISECONDS, "The longest that it may take, in milliseconds.", example="60000")


class Mount(Shape):
    """A mount: a directory of this machine inside the container."""

    source = key(Text(), "The directory on this machine.", required=True, example="./fixtures")
    target = key(Text(), "Its path in the container.", required=True, example="/fixtures")
    access = key(Choice((("ro", "only read"), ("rw", "read and written"))), "The allowed operations.", example="ro")
    read_only = key(Boolean(), "Whether it can only be read.")


class Resources(Shape):
    """A resources block: the most that a container may use."""

    cpus = key(NodeUnion(number=Number(above=0), text=Text()), "How many processors.", example="2")
    memory = key(NodeUnion(number=Number(above=0), text=Text()), "How much memory.", example="4g")
    disk = key(NodeUnion(number=Number(above=0), text=Text()), "The disk space.", example="10g")
    gpu = key(NodeUnion(boolean=Boolean(), number=Number(at_least=0), text=Text()), "Which graphics processors.")


class Environment(Shape):
    """An environment: where the target works, a host or a container."""

    type = key(
        Choice((("host", "a directory of this machine"), ("docker", "a container"))),
        "What it is.", required=True, example="host",
    )  # fmt: skip
    workdir = key(Text(), "The working directory of the target.", required=True, example="./workspace")
    setup = key(Shaped(Setup), "The program that prepares it.", example="{command: [python, setup.py]}")
    env = key(MapOf(Anything()), "Environment variables in it.")
    image = key(Text(), "The image of the container.", example="python:3.12")
    context = key(_DIRECTORY, "The directory to build the image from.")
    dockerfile = key(Text(), "The Dockerfile in that directory.")
    resources = key(Shaped(Resources), "The most that the container may use.", example="{cpus: 2}")
    mounts = key(ListOf(Shaped(Mount)), "Directories of this machine inside the container.")
    secrets = key(Anything(), "Secrets for the container.")

    #: The keys that only a container has.
    CONTAINER_KEYS: ClassVar[tuple[str, ...]] = ("image", "context", "dockerfile", "resources", "mounts", "secrets")
