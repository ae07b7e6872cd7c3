"""The directory in which the target of a case works: what the suite asks for, how it is made, and what changed in it."""
