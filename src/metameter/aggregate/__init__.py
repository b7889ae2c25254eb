"""Aggregations, A(i): the value that a user who leaves after rank i takes away."""
