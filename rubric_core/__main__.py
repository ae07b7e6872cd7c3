"""`python -I -m rubric_core`: the command line, where `rubric` is not on the PATH."""

import sys

from rubric_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
