"""What people see: results, tables, LaTeX, charts; escaping; files written whole or not at all."""
