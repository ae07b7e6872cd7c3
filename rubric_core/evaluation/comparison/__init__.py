"""Two runs beside each other, case by case: what changed, and how sure one can be of it."""
