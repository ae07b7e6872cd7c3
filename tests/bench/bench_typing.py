"""Write correct texts of every dialect and kind in front of the server, and count what flashes up meanwhile.

    python tests/bench/bench_typing.py [--texts N] [--seed N] [--loud] [--show] [--way NAME …]

A flash is a finding that comes while correct text is written and goes again. `--loud` shows what there would be if nothing
waited. The clock is the benchmark's own: keys are 0.12 s apart, so that every run gives the same figures.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from typed import WAYS, Desk, Noise, Text, texts

from rubric_core.analysis import Language

#: Flashes a keystroke.
GOAL = 0.02


def noise_of(way: str, chosen: Sequence[Text], language: Language, *, seed: int = 1, quiet: bool = True) -> Noise:
    """What people see who write these texts in one way."""
    noise = Noise()
    for text in chosen:
        pen = WAYS[way](text.text, random.Random(f"{seed} {text.about} {text.name}"))
        with tempfile.TemporaryDirectory() as folder:
            noise.add(Desk(language, Path(folder), quiet=quiet).write(text, pen))
    return noise


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, help="how many texts, of all by default")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loud", action="store_true", help="as if nothing waited")
    parser.add_argument("--show", action="store_true", help="where each code flashed first")
    parser.add_argument("--way", action="append", choices=list(WAYS))
    options = parser.parse_args()
    every = list(texts())
    chosen = random.Random(options.seed).sample(every, min(options.texts or len(every), len(every)))
    language = Language()
    print(f"{len(chosen)} of {len(every)} texts; the goal is {GOAL} flashes a keystroke, no error on the line")
    for way in options.way or WAYS:
        begun = time.monotonic()
        noise = noise_of(way, chosen, language, seed=options.seed, quiet=not options.loud)
        errors = sum(f.on_line and f.severity == "error" for f in noise.flashes)
        print(
            f"{way:28}{noise.strokes:8,} keystrokes{len(noise.flashes):7} flashes{noise.share:9.4f} a keystroke"
            f"{errors:6} errors on the line{time.monotonic() - begun:7.1f} s"
        )
        if options.show:
            _show(noise)


def _show(noise: Noise) -> None:
    for (severity, code), number in noise.codes().most_common():
        first = next(f for f in noise.flashes if (f.severity, f.code) == (severity, code))
        print(f"    {number:4} {severity} {code}{' on the line' if first.on_line else ''}: {first.message}")
        print(f"         {first.text!r}")


if __name__ == "__main__":
    main()
