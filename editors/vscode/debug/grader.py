"""Runs a grader under a debugger as a run does: `grader.py FOLDER`, with `launch.json` and its standard input in the folder."""

import json
import os
import runpy
import sys


def main(folder):
    with open(os.path.join(folder, "launch.json"), encoding="utf-8") as file:
        told = json.load(file)
    handle = os.open(os.path.join(folder, "stdin"), os.O_RDONLY | getattr(os, "O_BINARY", 0))
    os.dup2(handle, 0)
    os.close(handle)
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)
    for name in told["unset"]:
        os.environ.pop(name, None)
    first, *rest = told["arguments"]
    is_safe = sys.flags.isolated or getattr(sys.flags, "safe_path", False)
    if not is_safe:  # else this file's folder is not on the path either
        own = {"-m": os.getcwd(), "-c": ""}
        sys.path[0] = own[first] if first in own else os.path.dirname(os.path.realpath(first))
    if first == "-m":
        sys.argv = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.argv = ["-c", *rest[1:]]
        exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = [first, *rest]
        runpy.run_path(os.path.abspath(first), run_name="__main__")


main(sys.argv[1])
