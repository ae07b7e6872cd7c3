"""Models of vendors as promptfoo calls them: what each request contains, and what of the reply is the output."""
