"""People who write correct suites, and what a server shows them meanwhile."""

from typed.desk import Desk, Flash, Noise
from typed.texts import Text, texts
from typed.ways import WAYS, Pen, Stroke

__all__ = ["WAYS", "Desk", "Flash", "Noise", "Pen", "Stroke", "Text", "texts"]
