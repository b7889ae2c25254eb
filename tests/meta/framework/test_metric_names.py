"""Metrics by their names."""

import subprocess
import sys


def test_a_name_imports_only_its_own_metric():
    code = (
        "import sys; from metameter.meta.framework.metric_groups import groups; groups(('nDCG@10', 'AP')); "
        "print(*(name for name in sys.modules if name.startswith('metameter.metric.')))"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "metameter.metric.classic.ndcg" in modules
    assert not [name for name in modules if name.startswith(("metameter.metric.session", "metameter.metric.taxonomy"))]
