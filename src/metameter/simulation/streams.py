"""Streams of random numbers: one for each topic, system and family."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Part(IntEnum):
    """What a stream is used for. The number is part of the seed: never change it."""

    TOPIC = 0
    SYSTEM_EFFECT = 1
    SYSTEM_NOISE = 2
    FAMILY_EFFECT = 3
    FAMILY_NOISE = 4
    SESSION_TRUTH = 7
    SESSION_TOPIC = 8
    SESSION_QUALITY = 9
    SESSION_SYSTEM = 10
    SESSION_WORDS = 11
    PAGES = 12
    PAGES_NULL = 13
    PAGE_PAIRS = 14
    PAGE_PAIRS_NULL = 15
    PAGE_USERS = 16
    PAGE_SCALE = 17


def stream(seed: int, part: Part, index: int) -> np.random.Generator:
    """Return the random generator of one topic, system or family.

    A stream depends neither on the number of others nor on the order of their use: a collection with more systems
    contains the smaller one, bit for bit.

    Examples
    --------
    >>> bool(stream(0, Part.TOPIC, 3).random() == stream(0, Part.TOPIC, 3).random())
    True
    >>> bool(stream(0, Part.TOPIC, 3).random() == stream(0, Part.TOPIC, 4).random())
    False
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(int(part), index))))
