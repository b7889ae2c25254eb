"""Commands that are no procedure of meta-evaluation: one module each, its docstring's first line is the help."""
