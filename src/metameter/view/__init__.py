"""Building blocks of what people see: tables, LaTeX, charts, escaping, whole files."""
