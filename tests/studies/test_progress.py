"""What a study tells of its progress: one stage after another, each begun once and ended, and no work outside."""

import pytest

import metameter
from metameter.studies.study import rebuilt

QUICK = {"splits": 70, "trials": 70, "resamples": 70}
TWO = '[[collection]]\nname = "{}"\nqrels = "{}/qrels.txt"\nruns = ["{}/runs"]\n'


class Told(list):
    def __call__(self, done, of, what):
        self.append((what, done, of))

    def stages(self):
        """The stages in order; refused unless each begins once, at 0, and ends at its end, with all its steps."""
        stages, at_work, step = [], None, None
        for what, done, of in self:
            if at_work is None:
                assert (done, of) == (0, 1), f"{what} is told outside of any stage"
                assert what not in stages, f"{what} begins twice"
                stages.append(what)
                at_work = what
            elif what == at_work:
                assert (done, of) == (1, 1)
                assert step is None, f"{step} has not ended"
                at_work = None
            else:
                assert what.startswith(f"{at_work}: ")
                assert step in (None, what), f"{step} has not ended"
                assert 0 <= done <= of
                step = what if done < of else None
        assert at_work is None, f"{at_work} has not ended"
        return stages


def test_a_study_reports_progress_from_start_to_end(collection, tmp_path):
    told = Told()
    asked = {"metrics": ["AP", "P@5", "RBP(p=0.8)"], "figures": True, "out": tmp_path / "study", "max_grade": 3}
    metameter.study(collection / "qrels.txt", collection / "runs", **asked, **QUICK, progress=told)
    stages = told.stages()
    assert stages[0] == "scoring"
    assert stages[-4:] == ["answer", "tables", "report", "figures"]
    assert {"similarity", "consistency", "power", "recommendation", "volatility"} <= set(stages)
    steps = {what for what, *_ in told} - set(stages)
    assert {"scoring: runs", "consistency: splits", "power: shuffling", "figures: charts"} <= steps
    again = Told()
    rebuilt(tmp_path / "study", again)
    assert again.stages() == ["reading", "answer", "tables", "report"]


def test_stages_name_their_collection(collection, tmp_path):
    told = Told()
    (tmp_path / "study.toml").write_text(
        "".join(TWO.format(name, collection, collection) for name in ("one", "two: x"))
    )
    asked = {"metrics": ["AP", "P@5"], "out": tmp_path / "study"}
    metameter.study(tmp_path / "study.toml", **asked, **QUICK, progress=told)
    stages = told.stages()
    assert {"one: scoring", "two: x: scoring", "one: power", "two: x: power"} <= set(stages)


@pytest.mark.parametrize("wrong", ["splits", "shuffling"])
def test_unfinished_steps_are_ended(wrong):
    from metameter.parallel import stage

    told = Told()
    with stage(told, "power") as steps:
        steps(1, 5, wrong)
        steps(2, 5, wrong)
        steps(1, 4, wrong)  # the next round of a loop
        steps(1, 3, "resampling")
        steps(3, 3, "resampling")
    assert told.stages() == ["power"]
    assert told[3:5] == [(f"power: {wrong}", 5, 5), (f"power: {wrong}", 1, 4)]
