"""Files are written whole or not at all, and never over what is read."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tcloseness import writing
from tcloseness.errors import InputError, StudyError
from tcloseness.writing import draft, lock, protect, protecting, refuse_files, write_files

OLD, NEW = {"a": b"old a", "b": b"old b", "c": b"old c"}, {"a": b"new a", "b": b"new b", "c": b"new c"}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def held() -> dict[str, bytes]:
    """Everything in the folder, hidden files too."""
    return {path.name: path.read_bytes() for path in Path().iterdir()}


def make(files: dict[str, bytes]) -> None:
    for name, content in files.items():
        Path(name).write_bytes(content)


def test_all_files_are_written_and_nothing_else_is_left():
    write_files(NEW)
    assert held() == NEW
    write_files({name: content * 2 for name, content in NEW.items()}, force=True)
    assert held() == {name: content * 2 for name, content in NEW.items()}


def test_a_draft_is_put_in_its_place_with_the_others_or_is_gone():
    with draft("a") as made:
        made.path.write_bytes(NEW["a"])
        assert made.sha256 == hashlib.sha256(NEW["a"]).hexdigest()
        write_files({"a": made, "b": NEW["b"]})
    assert held() == {"a": NEW["a"], "b": NEW["b"]}
    with draft("c") as made:
        made.path.write_bytes(NEW["c"])
    with pytest.raises(InputError), draft("c") as made:
        write_files({"c": OLD["c"] + made.path.name.encode(), "nowhere/d": b""})
    with draft("c") as made, pytest.raises(InputError, match="file 'c' cannot be written: No such file"):
        write_files({"b": OLD["b"], "c": made}, force=True)  # nothing was drafted
    assert held() == {"a": NEW["a"], "b": NEW["b"]}


def test_a_draft_is_refused_as_a_file_is_and_has_the_permissions_of_what_it_overwrites():
    make(OLD)
    os.chmod("a", 0o640)
    with pytest.raises(InputError, match="exists and is not overwritten"), draft("a"):
        pass
    with draft("a", force=True) as made:
        made.path.write_bytes(NEW["a"])
        write_files({"a": made}, force=True)
    assert held() == OLD | {"a": NEW["a"]}
    assert stat.S_IMODE(os.stat("a").st_mode) == 0o640
    with pytest.raises(InputError, match="is what the command reads"), draft("b", force=True, inputs=["b"]):
        pass


# ---------------------------------------------------------------------- never over what is read


def by_path(read: str) -> str:
    return read


def by_other_path(read: str) -> str:
    os.mkdir("folder")
    return f"folder/../{read}"


def by_absolute_path(read: str) -> str:
    return os.path.abspath(read)


def by_symbolic_link(read: str) -> str:
    os.symlink(read, "out")
    return "out"


def by_two_symbolic_links(read: str) -> str:
    os.symlink(read, "middle")
    os.symlink("middle", "out")
    return "out"


def by_hard_link(read: str) -> str:
    os.link(read, "out")
    return "out"


def by_linked_folder(read: str) -> str:
    os.symlink(".", "folder")
    return f"folder/{read}"


WAYS = (
    by_path,
    by_other_path,
    by_absolute_path,
    by_symbolic_link,
    by_two_symbolic_links,
    by_hard_link,
    by_linked_folder,
)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("known", ["as input", "protected", "protected on the way"])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_read_is_never_overwritten(way, known, force):
    make({"in": b"the table"})
    output = way("in")
    inputs = ["in"] if known == "as input" else []
    with protecting(["in"] if known == "protected" else []):
        if known == "protected on the way":
            protect(Path("in"))
        for write in (
            lambda: refuse_files(["x", output], force=force, inputs=inputs),
            lambda: write_files({"x": b"", output: b"lost"}, force=force, inputs=inputs),
        ):
            with pytest.raises(InputError, match="is what the command reads, and is never overwritten"):
                write()
    assert Path("in").read_bytes() == b"the table"
    assert not Path("x").exists()


@pytest.mark.parametrize("way", WAYS)
def test_what_is_read_through_a_link_is_never_overwritten(way):
    make({"in": b"the table"})
    read = way("in")
    with pytest.raises(InputError, match="never overwritten"):
        write_files({"in": b"lost"}, force=True, inputs=[read])
    assert Path("in").read_bytes() == b"the table"


def test_what_standard_input_is_redirected_from_is_never_overwritten():
    make({"in": b"the table"})
    code = "from tcloseness.writing import write_files; write_files({'in': b'lost'}, force=True)"
    with open("in", "rb") as table:
        done = subprocess.run([sys.executable, "-c", code], stdin=table, stderr=subprocess.PIPE, check=False, text=True)
    assert "never overwritten" in done.stderr
    assert Path("in").read_bytes() == b"the table"


def test_a_file_is_protected_only_while_it_is_read():
    make({"in": b"1"})
    with protecting(["in"]):
        pass
    write_files({"in": b"2"}, force=True)
    assert held() == {"in": b"2"}


# ---------------------------------------------------------------------- names that stand for no file of one's own


@pytest.mark.parametrize("force", [False, True])
def test_two_names_of_one_file_are_refused(force):
    make({"a": b"1"} if force else {})
    os.symlink(".", "folder")
    with pytest.raises(InputError, match="are one file"):
        write_files({"a": b"2", "folder/a": b"3"}, force=force)
    assert Path("a").exists() == force


def test_two_hard_links_to_one_file_are_refused():
    make({"a": b"1"})
    os.link("a", "b")
    with pytest.raises(InputError, match="are one file"):
        write_files({"a": b"2", "b": b"3"}, force=True)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize(
    "name", ["", "-", "absent/file", "a/file", "x" * 300, "nul\0", "folder", "pipe", "loop", "nowhere", "/dev/null"]
)
def test_a_name_that_stands_for_no_file_is_refused_by_name(name, force):
    make({"a": b"1"})
    os.mkdir("folder")
    os.mkfifo("pipe")
    os.symlink("loop", "loop")
    os.symlink("absent", "nowhere")
    with pytest.raises(InputError) as error:
        refuse_files([name], force=force)
    assert repr(name) in str(error.value)
    with pytest.raises(InputError):
        write_files({"b": b"", name: b""}, force=force)
    assert not Path("b").exists()
    assert not Path("absent").exists()


def test_a_long_name_that_the_file_system_allows_is_written():
    name = "x" * 255
    write_files({name: b"1"})
    write_files({name: b"2"}, force=True)
    assert held() == {name: b"2"}


def test_a_file_is_not_overwritten_unless_forced():
    make(OLD)
    for each in OLD:
        with pytest.raises(InputError, match="exists and is not overwritten"):
            write_files({"new": b"", each: b""})
    assert held() == OLD


def test_what_makes_a_file_is_called_once_it_is_known_that_all_can_be_written():
    """Its content may take long: a name that is refused is refused before."""
    calls = []

    def content():
        calls.append(1)
        return b"2"

    make({"a": b"1"})
    for other in ("a", "absent/b", "-"):
        with pytest.raises(InputError):
            write_files({"new": content, other: content})
    assert (calls, held()) == ([], {"a": b"1"})
    write_files({"new": content, "a": b"3"}, force=True)
    assert (calls, held()) == ([1], {"new": b"2", "a": b"3"})


def test_what_a_link_names_is_overwritten_and_the_link_stays():
    os.mkdir("folder")
    make({"folder/a": b"1"})
    os.symlink("folder/a", "out")
    write_files({"out": b"2"}, force=True)
    assert os.readlink("out") == "folder/a"
    assert Path("folder/a").read_bytes() == b"2"
    assert os.listdir("folder") == ["a"]


def test_permissions_are_those_of_the_file_before_or_what_the_umask_allows():
    before = os.umask(0o027)
    try:
        make(OLD)
        os.chmod("a", 0o604)
        write_files({"a": b"", "new": b""}, force=True)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(os.stat(name).st_mode) for name in ("a", "new")] == [0o604, 0o640]


# ---------------------------------------------------------------------- whole or not at all

CALLS = ("open", "fsync", "link", "replace")


def failing(call: str, at: int, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> list[int]:
    """Let the call number `at` of a function of the system fail; how many calls there were is what is returned."""
    real, count = getattr(os, call), [0]

    def fail(*arguments, **options):
        count[0] += 1
        if count[0] == at:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(os, call, fail)
    return count


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("before", [None, "", "a", "bc", "abc"])
def test_a_failure_at_any_moment_leaves_what_was_there(call, before, monkeypatch):
    """None: not forced. A call that can be done without (links) fails without harm."""
    make({name: OLD[name] for name in before or ""})
    there, outcomes = held(), set()
    for at in itertools.count(1):
        with monkeypatch.context() as patch:
            count = failing(call, at, patch, OSError(errno.ENOSPC, "No space left on device"))
            try:
                write_files(NEW, force=before is not None)
            except InputError as error:
                outcomes.add(str(error).partition(":")[2])
                assert held() == there
                continue
        assert held() == NEW
        if count[0] < at:  # it fails nowhere any more
            break
        for name in NEW:
            os.unlink(name)
        make({name: OLD[name] for name in before or ""})
    assert outcomes <= {" No space left on device"}
    assert outcomes or call in ("link", "replace")


@pytest.mark.parametrize("before", [None, "", "a"])
def test_a_failure_where_files_cannot_be_linked_leaves_what_was_there(before, monkeypatch):
    """As on a FAT disk: the place is taken by an empty file first."""
    make({name: OLD[name] for name in before or ""})
    there = held()

    def unlinkable(*_arguments, **_options):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", unlinkable)
    for at in range(1, len(NEW) + 1):
        with monkeypatch.context() as patch:
            failing("replace", at, patch, OSError(errno.EIO, "Input/output error"))
            with pytest.raises(InputError, match="Input/output error"):
                write_files(NEW, force=before is not None)
        assert held() == there
    write_files(NEW, force=before is not None)
    assert held() == NEW


@pytest.mark.parametrize("force", [False, True])
def test_a_file_that_appears_in_the_meantime_is_not_overwritten(force, monkeypatch):
    real = os.fsync

    def appears(descriptor):
        real(descriptor)
        Path("c").write_bytes(b"another's")

    monkeypatch.setattr(os, "fsync", appears)
    if force:
        write_files(NEW, force=True)
        assert held() == NEW
        return
    with pytest.raises(InputError, match="'c' exists, since a moment ago"):
        write_files(NEW)
    assert held() == {"c": b"another's"}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("call", CALLS)
def test_an_interrupt_at_any_moment_leaves_all_or_nothing(call, force, monkeypatch):
    real, moments = getattr(os, call), itertools.count(1)
    make(OLD if force else {})
    there, seen = held(), set()
    for at in moments:
        calls = itertools.count(1)

        def interrupt(*arguments, at=at, calls=calls, **options):
            if next(calls) == at:
                signal.raise_signal(signal.SIGINT)
            return real(*arguments, **options)

        monkeypatch.setattr(os, call, interrupt)
        try:
            write_files(NEW, force=force)
        except KeyboardInterrupt:
            assert held() in (there, NEW)
            seen.add(held() == NEW)
        else:
            break
        finally:
            monkeypatch.setattr(os, call, real)
        for name in held():
            os.unlink(name)
        make(OLD if force else {})
    assert seen or call == "replace"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_thread_writes_too():
    thread = threading.Thread(target=write_files, args=(NEW,))
    thread.start()
    thread.join()
    assert held() == NEW


# ---------------------------------------------------------------------- several processes


@pytest.mark.long
def test_files_of_two_processes_are_never_mixed():
    """Each writes pairs that belong together; what remains is one process's pair, and each write was whole."""
    code = (
        "import sys\nfrom tcloseness.writing import write_files\n"
        "for i in range(60):\n"
        "    text = (sys.argv[1] * 20_000 + str(i)).encode()\n"
        "    write_files({'table': text, 'record': text}, force=True)\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, each]) for each in ("x", "y")]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    left = held()
    assert set(left) == {"table", "record"}
    assert left["table"] == left["record"]


def test_files_are_placed_when_no_other_process_places_any_in_that_folder(monkeypatch):
    """Who does not end in time is not waited for: names are exclusive all the same."""
    fcntl = pytest.importorskip("fcntl")
    folder = os.open(".", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    thread = threading.Thread(target=write_files, args=(NEW,))
    thread.start()
    thread.join(0.2)
    assert not set(held()) & set(NEW)
    os.close(folder)
    thread.join()
    assert held() == NEW
    folder = os.open(".", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    monkeypatch.setattr(writing, "_PATIENCE", 2)
    write_files({"d": b""})
    os.close(folder)


def test_a_lock_that_was_removed_before_it_was_held_is_made_again(monkeypatch):
    """Its holder removes it when it ends, perhaps after the next has opened it and before that holds it."""
    real, calls = writing._taken, itertools.count()

    def taken(descriptor):
        if next(calls) == 0:
            os.unlink(".lock")
        return real(descriptor)

    monkeypatch.setattr(writing, "_taken", taken)
    with lock("."):
        assert Path(".lock").read_text().startswith(f"process {os.getpid()} since ")
    assert held() == {}


def test_a_lock_names_its_holder_and_is_gone_with_it():
    code = (
        "import sys\nfrom tcloseness.writing import lock\nwith lock('.'):\n    print(flush=True)\n    sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        for _ in range(2):
            with pytest.raises(StudyError, match=rf"'\.' is in use by process {holder.pid} since \d{{4}}-"), lock("."):
                pass
        holder.kill()  # leaves its mark behind
    assert Path(".lock").exists()
    with lock("."):
        pass
    assert held() == {}


@pytest.mark.parametrize("linked", [False, True])
def test_a_file_of_somebody_else_is_no_lock_and_stays(linked):
    """Neither one of that name, nor one that the name is a link to."""
    mine = Path("mine.csv" if linked else ".lock")
    mine.write_text("a,b\n1,2\n", encoding="utf-8")
    if linked:
        os.symlink(mine, ".lock")
    with pytest.raises(StudyError, match="cannot be locked"), lock("."):
        raise AssertionError("locked")
    assert mine.read_text(encoding="utf-8") == "a,b\n1,2\n"
    assert Path(".lock").exists()


@pytest.mark.parametrize("left", [b"", b"process 7 since 2026-01-02 03:04:05\n"])
def test_a_lock_that_a_killed_process_left_is_taken(left):
    Path(".lock").write_bytes(left)
    with lock("."):
        assert Path(".lock").read_text().startswith(f"process {os.getpid()} since ")
    assert not Path(".lock").exists()


def test_a_full_disk_keeps_nobody_from_locking(monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with lock("."), pytest.raises(StudyError, match="in use by another process"), lock("."):
        pass


def test_a_lock_is_released_by_an_exception_too():
    with pytest.raises(ZeroDivisionError), lock("."):
        raise ZeroDivisionError
    with lock("."), pytest.raises(StudyError, match="in use"), lock("."):
        pass
    with pytest.raises(StudyError, match="cannot be locked"), lock("absent"):
        pass


def test_what_is_protected_is_of_this_run_only():
    assert writing._protected.get() is None
    protect("x")  # nothing runs, so nothing is remembered
    assert writing._protected.get() is None
