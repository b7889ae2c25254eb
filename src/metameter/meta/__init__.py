"""Meta-evaluation: one folder per procedure.

What several procedures share is in `framework`, `label_agreement` and `dimension_tests`.
"""
