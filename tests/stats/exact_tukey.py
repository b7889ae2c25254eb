"""The randomised Tukey HSD with all (K!)^topics shuffles instead of a sample: an oracle for small cases."""

from itertools import permutations, product

import numpy as np

from metameter.stats.significance.tukey import randomised_tukey


def exact_tukey(scores):
    topics, systems = np.shape(scores)
    # Renaming the systems does not change the range of their means, so the first topic stays as it is.
    orders = list(permutations(range(systems)))
    shuffles = [(orders[0], *others) for others in product(orders, repeat=topics - 1)]
    return randomised_tukey(scores, permutations=shuffles, smooth=False)
