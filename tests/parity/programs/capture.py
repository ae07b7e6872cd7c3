"""Stores what a program is given: `capture.py LABEL REPLY [ARGUMENTS…]` appends its arguments, standard input, environment and
directory to `captured/LABEL.jsonl` beside it, then prints REPLY.

A label is `CASE.WHAT`. REPLY `-` prints nothing; `@FILE:TEXT` writes the text to the file instead, as cli targets reply, and reads no
standard input: agentv gives targets one that never ends.
"""

import json
import os
import sys
from pathlib import Path

label, reply, *arguments = sys.argv[1:]
stdin = "" if reply.startswith("@") else sys.stdin.read()
try:
    given = json.loads(stdin)
except ValueError:
    given = stdin
paths = {str(number): Path(argument) for number, argument in enumerate(arguments)}
files = {
    number: path.read_text(encoding="utf-8") for number, path in paths.items() if path.is_absolute() and path.is_file()
}
row = {
    "arguments": arguments,
    "files": files,
    "stdin": given,
    "environment": dict(os.environ),
    "directory": str(Path.cwd()),
}
folder = Path(__file__).parent / "captured"
folder.mkdir(exist_ok=True)
with (folder / f"{label}.jsonl").open("a", encoding="utf-8") as store:
    store.write(json.dumps(row) + "\n")
if reply.startswith("@"):
    path, _, text = reply[1:].partition(":")
    Path(path).write_text(text, encoding="utf-8")
elif reply != "-":
    print(reply)
