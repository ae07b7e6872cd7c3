"""The protocol: messages, transports, capabilities, progress."""
