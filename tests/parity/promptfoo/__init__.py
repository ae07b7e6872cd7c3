"""The real promptfoo and rubric over the same configurations: verdicts and scores of every row and assertion compared."""
