"""Workers of another kind are asked even for one piece of work at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from metameter.parallel import Workers


class Elsewhere(Workers):
    """Workers in threads of a name of their own."""

    @contextmanager
    def executor(self):
        with ThreadPoolExecutor(1, thread_name_prefix="elsewhere") as pool:
            yield pool


def thread_of(item):
    return threading.current_thread().name


def test_a_single_custom_worker_runs_the_work():
    assert all(name.startswith("elsewhere") for name in Elsewhere(1).map(thread_of, range(3)))
    assert set(Workers(1).map(thread_of, range(3))) == {threading.current_thread().name}
