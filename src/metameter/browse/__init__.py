"""Browsing models, C(i): how far down do users read? One file per user."""
