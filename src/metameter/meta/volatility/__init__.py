"""How much scores and orderings change with the evaluation depth and the depth of the pools."""
