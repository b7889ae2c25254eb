"""The labels that a collection of a study has: pages with satisfaction, pairs with preferences, and their scale."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from metameter.errors import MetameterError
from metameter.parameters import Bounds
from metameter.scoring.cache import digest
from metameter.scoring.manifest import manifest_of
from metameter.scoring.pages import scale_of

if TYPE_CHECKING:
    from metameter.types.labelled_pages import Labelled, Pages, Pairs


T = TypeVar("T")
#: The options of a study that say which labels there are; a collection may have its own.
LABELS = ("serps", "serps_input", "pairs")
#: The option of stages for which a collection with labels of its own may have its own value.
SCALE = "pages_max_grade"
#: The name of the same option in functions that take labels only.
_SCALE = "max_grade"
#: Kind of labels -> the option that names their files.
_FILE_OPTIONS = {"pages": "serps", "pairs": "pairs"}
#: A stage that needs labels of any kind gets the pages, or the pairs if there are no pages.
_EITHER = "labels"
#: Kind of labels -> the options that give them, in words.
LABEL_OPTIONS = {**_FILE_OPTIONS, _EITHER: "serps or pairs"}


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of one collection.

    Attributes
    ----------
    pages : Pages, optional
        Result pages with labels of satisfaction.
    pairs : Pairs, optional
        Pairs of pages with labels of preference.
    max_grade : float, optional
        The top of the scale of their grades, if the collection has its own.
    input : str, optional
        The format of the pages, if it is not that of metameter.
    """

    pages: Pages | None = None
    pairs: Pairs | None = None
    max_grade: float | None = None
    input: str | None = None

    @property
    def evidence(self) -> dict[str, Labelled]:
        """The labels by the names that stages have for them."""
        return _with_either(self._read)

    @property
    def _read(self) -> dict[str, Labelled]:
        return {kind: each for kind in _FILE_OPTIONS if (each := getattr(self, kind)) is not None}

    def digests(self) -> dict[str, str]:
        """A key for each kind, of its content and not of its file names."""
        return _with_either({kind: _digest(each) for kind, each in self._read.items()})

    def inputs(self) -> dict[str, Any]:
        """Their entry in the manifest: files with their fingerprints, and the scale; empty without labels."""
        if not self._read:
            return {}
        files = {_FILE_OPTIONS[kind]: _files(each) for kind, each in self._read.items()}
        own = {"serps_input": self.input, SCALE: self.max_grade}
        return {**files, **{name: value for name, value in own.items() if value is not None}}


def _with_either(known: dict[str, T]) -> dict[str, T]:
    """The mapping with its first value under the name ``labels``, too.

    Examples
    --------
    >>> _with_either({"pairs": 1}), _with_either({"pages": 2, "pairs": 1}), _with_either({})
    ({'pairs': 1, 'labels': 1}, {'pages': 2, 'pairs': 1, 'labels': 2}, {})
    """
    return {**known, _EITHER: next(iter(known.values()))} if known else {}


def _digest(labelled: Labelled) -> str:
    software = manifest_of()
    content = hashlib.sha256(labelled.table.write_ndjson().encode()).hexdigest()
    return digest(labelled.table.columns, content, software["metameter"], software["versions"])


def _files(labelled: Labelled) -> list[dict[str, Any]]:
    return [each.entry() for each in labelled.fingerprints] or [{"name": labelled.source}]


def split_label_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split options into those of labels and the others.

    Examples
    --------
    >>> split_label_options({"serps": "pages.csv", "seed": 1})
    ({'serps': 'pages.csv'}, {'seed': 1})
    """
    return (
        {name: value for name, value in options.items() if name in LABELS},
        {name: value for name, value in options.items() if name not in LABELS},
    )


def chosen_label_options(common: Mapping[str, Any], own: Mapping[str, Any], call: Mapping[str, Any]) -> dict[str, Any]:
    """The options of one collection's labels: those of the call, else its own, else those of the whole study file.

    The format of pages belongs to the pages: a format in the study file does not apply to pages of the call.

    Examples
    --------
    >>> chosen_label_options({"serps": "a.csv", "pairs": "p.csv"}, {"serps": "b.csv"}, {})
    {'serps': 'b.csv', 'pairs': 'p.csv'}
    >>> chosen_label_options({"serps": "a.txt", "serps_input": "tiangong"}, {}, {"serps": "c.csv"})
    {'serps': 'c.csv'}
    """
    written = {**common, **own}
    if "serps" in call:
        written.pop("serps_input", None)
    return {**written, **call}


@dataclass(eq=False)
class LabelReader:
    """Reads the labels of collections; files that several collections name are read once.

    Attributes
    ----------
    scale : object
        The scale of collections that have none of their own.

    Examples
    --------
    >>> LabelReader().labels({}).evidence
    {}
    """

    scale: Any = None
    _read: dict[Any, Any] = field(default_factory=dict)

    def labels(self, options: Mapping[str, Any]) -> Labels:
        """The labels that ``serps``, ``serps_input`` and ``pairs`` name, with the collection's ``pages_max_grade``."""
        form, own = options.get("serps_input"), options.get(SCALE)
        scale = self.scale if own is None else own
        # A value that is not a scale is refused later, with the other options.
        scale = scale if Bounds(0, low_open=True).contain(scale) else None
        return Labels(
            pages=self._labelled(_pages, options.get("serps"), form, scale),
            pairs=self._labelled(_pairs, options.get("pairs"), form, scale),
            max_grade=own,
            input=form,
        )

    def _labelled(self, reader: Callable[..., Any], source: Any, form: str | None, scale: Any) -> Any:
        if source is None:
            return None
        # Collections share only the texts of a study file, and lists of them. Data frames cannot be keys.
        key = (reader, repr(source) if isinstance(source, str | list) else id(source), form, scale)
        if key not in self._read:
            self._read[key] = _in_scale(reader, source, form, scale)
        return self._read[key]


def _in_scale(reader: Callable[..., Any], source: Any, form: str | None, scale: Any) -> Any:
    """Read labels; the error about a grade above the scale calls the scale by its name in a study."""
    try:
        return reader(source, form, scale)
    except MetameterError as error:
        if not error.what.endswith(f"above {_SCALE}"):
            raise
        what, fix = error.what.replace(_SCALE, SCALE), error.fix.replace(_SCALE, SCALE)
        raise MetameterError(what, where=error.where, given=error.given, allowed=error.allowed, fix=fix) from None


def _pages(source: Any, form: Any, scale: Any) -> Pages:
    from metameter.read.labels.pages import read_serps

    return read_serps(source, input=form, max_grade=scale)


def _pairs(source: Any, _: Any, scale: Any) -> Pairs:
    from metameter.read.labels.pairs import read_pairs

    return read_pairs(source, max_grade=scale)


def kinds_of(labels: Iterable[Labels]) -> frozenset[str]:
    """The kinds of labels that any of the collections has."""
    return frozenset(kind for each in labels for kind in each.evidence)


def refuse_scale(labels: Sequence[Labels], common: Any = None) -> None:
    """Refuse a scale that is no number, that a grade exceeds, or that belongs to a collection without labels.

    Parameters
    ----------
    labels : sequence of Labels
        Of all collections.
    common : object
        The scale of those that have none of their own.
    """
    for each in labels:
        scale = common if each.max_grade is None else each.max_grade
        if each.max_grade is not None and not each.evidence:
            fix = "Give serps or pairs, too, or leave it out; the scale of judgments is max_grade."
            raise MetameterError(
                f"{SCALE} is the scale of labelled pages, and there are none", given=each.max_grade, fix=fix
            )
        for labelled in each.evidence.values() if scale is not None else ():
            scale_of(labelled, scale, SCALE)


def refuse_unlabelled(labels: Sequence[Labels]) -> None:
    """Refuse a format of pages where no collection has pages."""
    kinds = kinds_of(labels)
    for each in labels:
        if each.input is not None and "pages" not in kinds:
            fix = "Give serps, too, or leave it out."
            raise MetameterError("serps_input is the format of serps, and there are none", given=each.input, fix=fix)
