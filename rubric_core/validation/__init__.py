"""Rules that find mistakes in a suite, explain them and offer fixes."""
