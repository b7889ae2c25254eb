"""Damaged study folders: the same study, asked again, heals them and says the same, byte for byte."""

import hashlib
import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from fuzz.draw import damaged, one_in
from fuzz.program import collection, quietly

GROUP, SECONDS, SHARE = "program", 20.0, 2
WAYS = ["empty", "cut", "damage", "damage", "damage", "junk", "remove", "swap", "folder", "other", "json"]
JUNK = ["", "null", "[]", "{}", "\x00", "x" * 1000, '{"tables": 1}', "9" * 5000, '{"a": NaN}', "\ufeff{}"]
ASKED = [
    "-m",
    "AP",
    "-m",
    "P@2",
    "--trials",
    "10",
    "--splits",
    "4",
    "--resamples",
    "20",
    "--most-resamples",
    "20",
    "--jobs",
    "1",
]


def make(draw: Random) -> bytes:
    """One to three changes of files, by their number in the folder: how, where, and with what luck."""
    changes = [
        [draw.choice(WAYS), draw.randrange(1000), draw.randrange(1 << 30)] for _ in range(draw.choice([1, 1, 2, 3]))
    ]
    return json.dumps(changes).encode()


def hold(data: bytes) -> bool:
    """Exit status 0, and every table and the report as they were; nothing else is deleted."""
    whole, place = _study(), _study().parent / "damaged"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(whole, place)
    (place / "mine.txt").write_text("not of this study")
    for way, number, luck in json.loads(data):
        _change(place, way, number, Random(luck))
    status, _, problem = _asked(place)
    assert status == 0, f"exit status {status}: {problem[-500:]}"
    assert _prints(place) == _prints(whole), (
        f"other results: {sorted(_prints(place).items() ^ _prints(whole).items())[:4]}"
    )
    assert (place / "mine.txt").read_text() == "not of this study"
    return True


@cache
def _study() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="study-"))
    collection(folder)
    status, _, problem = _asked(folder / "study")
    assert status == 0, problem
    return folder / "study"


def _asked(out: Path) -> tuple[int, str, str]:
    before = os.getcwd()
    os.chdir(out.parent)
    try:
        return quietly(["study", "q", "a", "b", "c", *ASKED, "--out", out.name])
    finally:
        os.chdir(before)


def _prints(folder: Path) -> dict[str, str]:
    """What a study promises to be the same: everything that people see, but for times and hosts."""
    files = [path for path in folder.iterdir() if path.is_file() and path.name not in ("run.json", "mine.txt")]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in files}


def _change(place: Path, way: str, number: int, draw: Random) -> None:
    files = [path for path in sorted(place.rglob("*")) if path.is_file() and path.name != "mine.txt"]
    inner = [path for path in files if ".stages" in path.parts]
    path = inner[number % len(inner)] if number % 5 else files[number % len(files)]
    content = path.read_bytes()
    if way in ("remove", "folder"):
        path.unlink()
        if way == "folder":
            path.mkdir()
    elif way == "other":
        shutil.rmtree(path.parent) if one_in(draw, 2) and path.parent != place else (path.parent / "x").write_text("x")
    elif way == "swap":
        path.write_bytes(draw.choice(files).read_bytes())
    elif way == "json" and path.suffix == ".json":
        path.write_text(json.dumps(_without(json.loads(content), draw)))
    elif way == "junk":
        path.write_text(draw.choice(JUNK))
    else:
        path.write_bytes(
            b"" if way == "empty" else content[: len(content) // 2] if way == "cut" else damaged(draw, content)
        )


def _without(tree: object, draw: Random) -> object:
    """JSON with one part gone, or of another type."""
    if isinstance(tree, dict) and tree:
        key = draw.choice(sorted(tree))
        if one_in(draw, 3):
            return {name: part for name, part in tree.items() if name != key}
        return tree | {key: _without(tree[key], draw) if one_in(draw, 2) else draw.choice([None, 1, "x", [], {}])}
    return draw.choice([None, 1, "x", [], {}])
