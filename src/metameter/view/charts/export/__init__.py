"""Charts as pages, figures and parts of notebooks."""
