"""Bars and steps."""
