; Where brackets and quotes are not closed by themselves: config.toml.
(comment) @comment.inclusive
[(single_quote_scalar) (double_quote_scalar)] @string
