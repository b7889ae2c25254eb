"""Official figures of TREC-COVID, to the four decimals they are printed with."""

import csv

import pytest

import metameter

OURS = {"ndcg@10": "nDCG@10", "p@5": "P@5", "rbp(p=.5)": "RBP(p=0.5)*ERG"}


@pytest.mark.realdata
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.filterwarnings("ignore::metameter.MetameterWarning")
def test_every_run_has_its_official_score(data, number):
    folder = data / "trec-covid" / f"round{number}"
    (qrels,) = folder.glob("qrels*")
    scores = metameter.score(qrels, folder / "runs_depth100", list(OURS.values()), precision="single")
    rank = {system: row for row, system in enumerate(scores.systems)}
    with open(folder / "leaderboard.csv", newline="") as file:
        rows = [{key.lower(): value for key, value in row.items()} for row in csv.DictReader(file)]
    assert len(rows) == len(scores.systems)
    wrong = [
        (row, column)
        for row in rows
        for column, name in OURS.items()
        if f"{scores.means[name][rank[row.get('run') or row.get('tag')]]:.4f}" != row[column]
    ]
    assert not wrong
