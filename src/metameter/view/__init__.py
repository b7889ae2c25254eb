"""Output for people: results, tables, LaTeX, charts, escaping, and files that are written completely or not at all."""
