"""Rules: what is wrong with a suite, in words, with fixes."""
