"""Text with variables and filters, rendered."""
