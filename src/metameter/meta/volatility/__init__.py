"""How much the verdict wobbles: scores and orderings as evaluation and pooling depth grow."""
