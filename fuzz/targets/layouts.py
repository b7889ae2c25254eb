"""The same judgments and run in any layout, plain or compressed, have the same scores."""

import bz2
import gzip
import json
import lzma
from random import Random

import metameter
from fuzz.laws import Refused, outcome, place

GROUP = "readers"
TOPICS, DOCS = ["1", "2", "10", "t"], ["a", "b", "c", "d", "é", "a#", '"q"']
BLANKS, ENDS = [" ", "\t", "   ", " \t"], ["\n", "\r\n", "\n\n", " \n", "\n# x y\n"]
PACK = [bytes, gzip.compress, bz2.compress, lzma.compress]
METRICS = ["AP", "nDCG@3", "RBP(p=0.8)", "Judged@2"]


def make(draw: Random) -> bytes:
    """Grades and scores of some documents, and with what luck the layout is drawn."""
    judged, found = (
        [[topic, doc, draw.randint(-3, 3)] for topic in TOPICS for doc in DOCS if draw.random() < 0.3] for _ in "qr"
    )
    return json.dumps([judged, found, draw.randrange(1 << 30)]).encode()


def hold(data: bytes) -> bool:
    """Irregular files give what regular ones give, scores or refusal."""
    judged, found, luck = json.loads(data)
    qrels = [(topic, "0", doc, str(grade)) for topic, doc, grade in judged]
    run = [(topic, "Q0", doc, "1", str(score), "t") for topic, doc, score in found]
    regular, irregular = _scored(qrels, run, None), _scored(qrels, run, Random(luck))
    assert regular == irregular, f"regular: {regular}, irregular: {irregular}"
    return not isinstance(regular, Refused)


def _scored(qrels: list[tuple[str, ...]], run: list[tuple[str, ...]], draw: Random | None) -> object:
    files = place(_written(qrels, draw), "qrels"), place(_written(run, draw), "run")
    return outcome(lambda: metameter.score(*files, METRICS, max_grade=3, jobs=1).values.tolist())


def _written(lines: list[tuple[str, ...]], draw: Random | None) -> bytes:
    if draw is None:
        return "".join(" ".join(line) + "\n" for line in lines).encode()
    text = "".join(draw.choice(BLANKS).join(line) + draw.choice(ENDS) for line in lines)
    return draw.choice(PACK)(text.encode())
