"""Commands that are not procedures of meta-evaluation, one module each; the first line of its docstring is the help."""
