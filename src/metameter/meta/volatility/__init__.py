"""How scores and the ordering of systems change with evaluation and pooling depth."""
