"""Command lines of further Python processes of rubric's own. None imports a module from the folder in which rubric was started.

`python -m` and `python -c` look for modules in the current folder first, which may be a repository that nobody trusts: its `pip.py` or
`json.py` would run. `-I` leaves that folder out, and with it what is installed for the user alone and the variable PYTHONPATH, so that the
process is given the folders where this one finds its modules.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["OWN_IMPORTS_FIRST", "code_argv", "isolated_workers", "module_argv", "module_folders"]

#: Begins the code of a program for `python -c` that a user's interpreter runs: its imports are not found in the current folder.
OWN_IMPORTS_FIRST = "import sys; sys.path[:] = sys.path[1:] if sys.path[:1] == [''] else sys.path"


def module_folders() -> list[str]:
    """Where this process finds modules, without what depends on the current folder."""
    return [each for each in sys.path if os.path.isabs(each)]  # noqa: PTH117  # no paths are made of these


def code_argv(code: str) -> list[str]:
    """The arguments that run `code`, which finds the modules that this process finds."""
    return [sys.executable, "-I", "-c", f"import sys; sys.path[:] = {module_folders()!r}; {code}"]


def module_argv(module: str, *arguments: str) -> list[str]:
    """The arguments that do what `python -m` does."""
    start = f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
    return [*code_argv(start), *arguments]


@contextmanager
def isolated_workers() -> Iterator[None]:
    """Within the block, `multiprocessing` starts its processes with `-I`. They are given the module folders of this one in any case."""
    from multiprocessing import util  # noqa: PLC0415  # for `--on local:N` alone

    # Python 3.11 reads PYTHONSAFEPATH; 3.10 has nothing but the options that `multiprocessing` passes on, from this function.
    name = "_args_from_interpreter_flags"
    before = getattr(util, name)
    setattr(util, name, lambda: ["-I", *(each for each in before() if each != "-I")])
    try:
        yield
    finally:
        setattr(util, name, before)
