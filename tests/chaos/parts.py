"""All parts, in the order in which they run: the long ones first."""

from . import (
    answers,
    bombs,
    bulk,
    damaged,
    disk,
    doors,
    edits,
    environments,
    forged,
    hostile,
    interrupts,
    kills,
    names,
    permissions,
    plans,
    programs,
    servers,
    wire,
)
from .tally import Part

__all__ = ["PARTS"]

PARTS = (
    Part("edits", "random edits and all requests in three encodings, against a fresh reading", edits.run),
    Part("damaged", "damaged inputs: check, fix, format, migrate", damaged.run),
    Part("wire", "malformed messages, wrong parameters, cancelled requests, clients that go", wire.run),
    Part("programs", "programs that crash, print without end, outlive the run", programs.run),
    Part("hostile", "a hostile repository is opened, and run with and without consent", hostile.run),
    Part("plans", "every setting with a hostile value: what a run does is what its plan showed", plans.run),
    Part("servers", "servers that lie, drip, redirect, hang", servers.run),
    Part("bombs", "templates and patterns that never end or want out", bombs.run),
    Part("bulk", "ten thousand changes, watched files, 3.7 MB, 20,000 results", bulk.run),
    Part("kills", "SIGKILL at work, then --resume", kills.run),
    Part("forged", "stored results and recordings that somebody else wrote", forged.run),
    Part("interrupts", "Ctrl-C, SIGTERM and SIGHUP at random moments of checks, fixes and runs", interrupts.run),
    Part("environments", "no home, no temporary folder, closed streams, few open files", environments.run),
    Part("permissions", "what may not be read or written, and what is somebody else's", permissions.run),
    Part("disk", "full disks and fixes that are killed", disk.run),
    Part("answers", "answers that are no text, act, or are very long, in the store and every export", answers.run),
    Part("names", "odd names in every format", names.run),
    Part("doors", "sockets: strangers, pages", doors.run),
)  # fmt: skip
