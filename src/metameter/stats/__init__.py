"""Statistics of score matrices: rank correlation, resampling, significance tests, intervals.

Arrays in, small result objects out. A score matrix is ``scores[..., topic, system]`` without missing cells; leading
axes, such as metrics, share all replicates. Pairs of systems are in the order (0,1), (0,2), ..., (1,2), ... Results are
named as in SciPy: ``statistic``, ``pvalue``.
"""
