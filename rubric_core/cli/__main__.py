"""`python -I -m rubric_core.cli`."""

import sys

from rubric_core.cli import main

sys.exit(main())
