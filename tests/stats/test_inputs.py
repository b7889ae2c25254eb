"""Every function refuses what it cannot use, in one clear line; importing is cheap."""

import subprocess
import sys
from pkgutil import walk_packages

import numpy as np
import pytest

import metameter.stats
from metameter.errors import MetameterError
from metameter.stats.consistency.split_half import split_half_tau
from metameter.stats.rank_correlation.correlation_intervals import correlation_interval
from metameter.stats.rank_correlation.kendall import tau_b
from metameter.stats.rank_correlation.tau_ap import tau_ap
from metameter.stats.significance.anova import two_way_anova
from metameter.stats.significance.pair_tests import effect_sizes
from metameter.stats.significance.paired_bootstrap import paired_bootstrap
from metameter.stats.significance.pairwise import paired_t, sign, wilcoxon
from metameter.stats.significance.tukey import randomised_tukey

OF_MATRICES = [
    randomised_tukey,
    paired_bootstrap,
    two_way_anova,
    paired_t,
    wilcoxon,
    sign,
    effect_sizes,
    split_half_tau,
]
OF_VECTORS = [tau_b, tau_ap]


@pytest.mark.parametrize("function", OF_MATRICES, ids=lambda function: function.__name__)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_matrices_with_missing_cells_are_refused(function, bad):
    with pytest.raises(MetameterError, match=r"1 of 6 scores are NaN or infinite\. Fill or drop") as error:
        function([[0.1, 0.2, bad], [0.3, 0.4, 0.5]])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("function", OF_MATRICES, ids=lambda function: function.__name__)
def test_one_system_is_refused(function):
    with pytest.raises(MetameterError, match="too few systems"):
        function([[0.1], [0.3], [0.4]])


@pytest.mark.parametrize("function", OF_VECTORS, ids=lambda function: function.__name__)
def test_wrong_vectors_are_refused(function):
    with pytest.raises(MetameterError):
        function([1.0, np.nan], [1.0, 2.0])
    with pytest.raises(MetameterError):
        function([1.0, 2.0, 3.0], [1.0, 2.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: correlation_interval(0.5, 10, "fisherman"),
        lambda: correlation_interval(1.5, 10),
        lambda: correlation_interval(0.5, 10, level=95),
        lambda: randomised_tukey(np.eye(3), trials=70).power(5),
        lambda: wilcoxon(np.eye(3), method="exactly"),
        lambda: paired_t(np.ones((0, 3, 3))),
    ],
)
def test_wrong_options_are_refused(call):
    with pytest.raises(MetameterError):
        call()


def test_importing_stats_does_not_load_scipy():
    modules = [each.name for each in walk_packages(metameter.stats.__path__, "metameter.stats.")]
    assert "metameter.stats.significance.tukey" in modules
    code = f"import sys, {', '.join(modules)}; sys.exit(any(name.startswith('scipy') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_one_topic_has_no_effect_size():
    one = [[0.1, 0.2, 0.3]]
    assert np.isnan(effect_sizes(one).cohen_dz).all()
