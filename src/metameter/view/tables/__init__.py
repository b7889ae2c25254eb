"""Tables for a terminal, a program, a page or a paper."""
