"""Packed files: known by their content, refused when damaged."""

from __future__ import annotations

import bz2
import gzip
import lzma

import pytest
from backports import zstd

import metameter as mm
from metameter.errors import MetameterError
from metameter.read.files.content import read_bytes

CONTENT = b"401 Q0 d1 1 9.5 tag\n" * 500
PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: zstd.compress(content),
}


@pytest.mark.parametrize("suffix", PACKERS)
class TestPacked:
    def test_archives_are_recognised_by_content(self, tmp_path, suffix):
        for name in ("run" + suffix, "run", "run.txt"):
            (tmp_path / name).write_bytes(PACKERS[suffix](CONTENT))
            assert read_bytes(tmp_path / name) == CONTENT

    def test_archives_can_have_several_members(self, tmp_path, suffix):
        (tmp_path / "run").write_bytes(PACKERS[suffix](CONTENT) + PACKERS[suffix](b"more"))
        assert read_bytes(tmp_path / "run") == CONTENT + b"more"

    def test_a_truncated_archive_is_refused(self, tmp_path, suffix):
        packed = PACKERS[suffix](CONTENT)
        for keep in (len(packed) - 5, len(packed) // 2, 12):
            (tmp_path / "run").write_bytes(packed[:keep])
            with pytest.raises(MetameterError, match="damaged or cut short"):
                read_bytes(tmp_path / "run")

    def test_an_archive_can_be_empty(self, tmp_path, suffix):
        (tmp_path / "run").write_bytes(PACKERS[suffix](b""))
        assert read_bytes(tmp_path / "run") == b""

    def test_an_uncompressed_file_with_an_archive_suffix_is_refused(self, tmp_path, suffix):
        (tmp_path / ("run" + suffix)).write_bytes(CONTENT)
        with pytest.raises(MetameterError, match="not compressed as its suffix says"):
            read_bytes(tmp_path / ("run" + suffix))


def test_a_changed_byte_is_detected(tmp_path):
    packed = bytearray(gzip.compress(bytes(range(256)) * 40))
    packed[-6] ^= 1  # in the checksum
    (tmp_path / "run.gz").write_bytes(packed)
    with pytest.raises(MetameterError, match="damaged"):
        read_bytes(tmp_path / "run.gz")


@pytest.mark.parametrize("times", [1, 2])
def test_zstandard_skips_leading_skippable_frames(times, tmp_path):
    skipped = bytes([0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0]) + b"abc"
    path = tmp_path / "run.zst"
    path.write_bytes(skipped * times + zstd.compress(b"1 Q0 d 1 1 tag\n") + skipped)
    assert mm.read_run(path).table.rows() == [("1", "d", 1.0)]
