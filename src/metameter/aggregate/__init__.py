"""Aggregations, A(i): what do users take away? One file each."""
