"""All parts, in the order in which they run: the long ones first."""

from . import bombs, bulk, damaged, disk, doors, edits, hostile, kills, names, programs, servers, wire
from .tally import Part

__all__ = ["PARTS"]

PARTS = (
    Part("edits", "random edits and all requests in three encodings, against a fresh reading", edits.run),
    Part("damaged", "damaged inputs: check, fix, format, migrate", damaged.run),
    Part("wire", "malformed messages, wrong parameters, cancelled requests, clients that go", wire.run),
    Part("programs", "programs that crash, print without end, outlive the run", programs.run),
    Part("hostile", "a hostile repository is opened, and run with and without consent", hostile.run),
    Part("servers", "servers that lie, drip, redirect, hang", servers.run),
    Part("bombs", "templates and patterns that never end or want out", bombs.run),
    Part("bulk", "ten thousand changes, watched files, 3.7 MB, 20,000 results", bulk.run),
    Part("kills", "SIGKILL at work, then --resume", kills.run),
    Part("disk", "full disks and fixes that are killed", disk.run),
    Part("names", "odd names in every format", names.run),
    Part("doors", "sockets: strangers, pages", doors.run),
)  # fmt: skip
