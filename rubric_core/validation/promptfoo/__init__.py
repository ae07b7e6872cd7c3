"""What promptfoo does with a configuration that it accepts and does not run as it is written. Rules visit its shapes and ask here."""
