"""The page that shows a run: its data, and the document around it. The view is built from `report/` into `bundle/`."""
