"""The part `checks`: what is wrong with drills besides their kinds of values."""
