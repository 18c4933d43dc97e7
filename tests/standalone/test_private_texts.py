"""Texts that somebody typed: nobody but the bot's user reads them, and none stays behind."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from simulators import ROOT
from simulators.samples import CHANNEL, VIEWER
from tests.cli.command import PROGRAM
from tests.socket_mode import SocketModeSlack, wait_for
from toxic_bot.slack.gestures.case_gestures import CaseForm, Step
from toxic_bot.slack.gestures.clicks import Action, Click, Subject
from toxic_bot.slack.gestures.private_requests import Command
from toxic_bot.slack.gestures.report_gestures import Report, ReportedMessage
from toxic_bot.slack.i18n.translation import Language
from toxic_bot.slack.requests.interactions import COMMAND
from toxic_bot.slack.retry import TryAgainError
from toxic_bot.standalone.database import Database
from toxic_bot.standalone.gesture_queue import GestureQueue

CANARY = "zeppelinkanarie"
TYPED = Command("1.2.3", "1766000000.000200", "T1", "U1", "C1", f"{CANARY}!", "https://slack.com/x")


def traces(folder: Path) -> list[str]:
    """Return the names of the store's files that contain the text."""
    return [one.name for one in sorted(folder.iterdir()) if CANARY.encode() in one.read_bytes()]


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()}


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def die_after(folder: Path, steps: str) -> None:
    """Let another process do something to the store, and kill itself."""
    script = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from toxic_bot.standalone.database import Database\n"
        "from toxic_bot.standalone.gesture_queue import GestureQueue\n"
        "from tests.standalone.test_private_texts import TYPED\n"
        f"database = Database(Path({str(folder / 'bot.sqlite')!r}))\n"
        "queue = GestureQueue(database)\n"
        f"{steps}\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777], ids=oct)
def test_the_file_and_a_folder_made_for_it_are_their_owners_alone(
    tmp_path: Path, mask: int
) -> None:
    folder = tmp_path / "made" / "for it"
    with umask(mask):
        database = Database(folder / "bot.sqlite")
        GestureQueue(database).put(TYPED)
    assert {one.name for one in folder.iterdir()} >= {"bot.sqlite", "bot.sqlite-wal"}
    assert modes(folder) == {0o600}
    assert (
        stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    )
    database.close()


def test_files_that_others_could_read_are_shut_to_them_and_their_folder_stays_as_it_is(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o755)
    die_after(tmp_path, "queue.put(TYPED)")
    for file in tmp_path.iterdir():
        file.chmod(0o644)
    database = Database(tmp_path / "bot.sqlite")
    assert modes(tmp_path) == {0o600}
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    database.close()


def test_a_text_survives_a_kill_and_is_gone_from_every_file_once_it_is_answered(
    tmp_path: Path,
) -> None:
    die_after(tmp_path, "queue.put(TYPED)")
    assert traces(tmp_path)
    database = Database(tmp_path / "bot.sqlite")
    queue = GestureQueue(database)
    entry = queue.take()
    assert entry is not None
    queue.put_back(entry.put_back(1.0, TryAgainError("Slack failed", reason="network")), seconds=-1)
    assert entry.gesture == TYPED
    queue.remove(entry.gesture)
    assert traces(tmp_path) == []
    database.close()
    assert traces(tmp_path) == []


REPORTED = ReportedMessage("C1", "1766000000.000100", "U2", "toxic", 0.9, "insult")
WRITTEN = (
    Report(
        *("1.2.4", "1766000000.000200", "T1", "U1", "C1", REPORTED, "insult", f"{CANARY}!"),
        anonymous=True,
        language=Language.ENGLISH,
    ),
    CaseForm(
        *("V1", "1766000000.000200", "T1", "U1", "0123456789abcdef", Step.WRITE, None),
        letter=f"{CANARY}!",
    ),
)


@pytest.mark.parametrize("gesture", WRITTEN, ids=["report", "letter"])
def test_what_somebody_writes_to_others_is_gone_from_every_file_once_it_is_passed_on(
    tmp_path: Path, gesture: Report | CaseForm
) -> None:
    database = Database(tmp_path / "bot.sqlite")
    queue = GestureQueue(database)
    queue.put(gesture)
    assert traces(tmp_path)
    entry = queue.take()
    assert entry is not None
    queue.remove(entry.gesture)
    assert traces(tmp_path) == []
    database.close()


def test_a_kill_between_an_answer_and_its_erasure_leaves_nothing_after_the_next_start(
    tmp_path: Path,
) -> None:
    die_after(tmp_path, "database.erase = lambda: None\nqueue.put(TYPED)\nqueue.remove(TYPED)")
    assert traces(tmp_path)
    database = Database(tmp_path / "bot.sqlite")
    assert traces(tmp_path) == []
    database.close()


def test_what_a_start_cannot_erase_because_another_process_reads_is_erased_later(
    tmp_path: Path,
) -> None:
    die_after(tmp_path, "database.erase = lambda: None\nqueue.put(TYPED)\nqueue.remove(TYPED)")
    with closing(sqlite3.connect(tmp_path / "bot.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT COUNT(*) FROM gesture").fetchall()
        database = Database(tmp_path / "bot.sqlite")
        assert traces(tmp_path)
    queue = GestureQueue(database)
    queue.erase_traces()
    assert traces(tmp_path) == []
    database.close()


def test_what_a_copy_leaves_that_is_killed_and_never_started_again_is_erased_by_another(
    tmp_path: Path,
) -> None:
    database = Database(tmp_path / "bot.sqlite")
    queue = GestureQueue(database)
    queue.erase_traces()
    die_after(tmp_path, "database.erase = lambda: None\nqueue.put(TYPED)\nqueue.remove(TYPED)")
    assert traces(tmp_path)
    queue.erase_traces()
    assert traces(tmp_path) == []
    database.close()


def test_a_text_that_was_written_and_undone_as_on_a_full_disk_is_erased(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    queue = GestureQueue(database)
    queue.erase_traces()
    with closing(sqlite3.connect(tmp_path / "bot.sqlite", isolation_level=None)) as other:
        # So few pages that a change is in the log before it is committed.
        other.execute("PRAGMA cache_size = 1")
        other.execute("BEGIN IMMEDIATE")
        for number in range(50):
            body = replace(TYPED, event_id=str(number)).to_json() * 10
            other.execute("INSERT INTO gesture VALUES (?, ?, 0)", [str(number), body])
        other.execute("ROLLBACK")
        assert traces(tmp_path) == ["bot.sqlite-wal"]
        queue.erase_traces()
        assert traces(tmp_path) == []
    database.close()


def test_a_bot_that_has_nothing_to_do_does_not_write(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    queue = GestureQueue(database)
    queue.put(TYPED)
    queue.remove(TYPED)
    before = [(one.name, one.stat().st_mtime_ns) for one in sorted(tmp_path.iterdir())]
    for _ in range(3):
        assert queue.take() is None
        queue.erase_traces()
    assert [(one.name, one.stat().st_mtime_ns) for one in sorted(tmp_path.iterdir())] == before
    database.close()


def test_what_an_earlier_version_left_in_free_space_is_gone_after_the_next_start(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bot.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as earlier:
        earlier.execute("PRAGMA secure_delete = OFF")
        earlier.execute("CREATE TABLE gesture (event_id TEXT PRIMARY KEY, body TEXT, due REAL)")
        earlier.execute("INSERT INTO gesture VALUES ('Ev1', ?, 0)", [TYPED.to_json()])
        earlier.execute("DELETE FROM gesture")
    assert traces(tmp_path) == ["bot.sqlite"]
    database = Database(path)
    assert traces(tmp_path) == []
    database.close()


def test_a_text_is_erased_as_soon_as_no_other_process_reads_the_file(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    queue = GestureQueue(database)
    queue.put(TYPED)
    with closing(sqlite3.connect(tmp_path / "bot.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT COUNT(*) FROM gesture").fetchall() == [(1,)]
        queue.remove(TYPED)
        queue.erase_traces()
        assert traces(tmp_path)
    queue.erase_traces()
    assert traces(tmp_path) == []
    database.close()


def test_texts_of_any_length_that_come_and_go_together_leave_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "bot.sqlite")
    queue = GestureQueue(database)

    def come_and_go(thread: int) -> None:
        mine = [
            replace(TYPED, event_id=f"{thread}.{number}", text=CANARY * (1 + 7 * number**2))
            for number in range(12)
        ]
        for typed in mine:
            queue.put(typed)
        for typed in mine[::2] + mine[1::2]:
            queue.remove(typed)

    threads = [threading.Thread(target=come_and_go, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    queue.erase_traces()
    assert traces(tmp_path) == []
    database.close()


@pytest.mark.slow
def test_a_typed_text_is_in_no_file_of_the_bot_once_it_is_answered(
    slack: SocketModeSlack, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    arguments = (*PROGRAM, "socket", "--database", str(folder / "bot.sqlite"))
    environment = os.environ | slack.environment

    def shown() -> int:
        return sum(one.only_for == VIEWER for one in slack.workspace.messages(CHANNEL))

    for number, ending in enumerate([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM], start=1):
        with (
            umask(0),
            subprocess.Popen(
                arguments, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL
            ) as process,
        ):
            wait_for(lambda: slack.socket_mode.connected, timeout=60)
            slack.interactivity.type_command(CHANNEL, VIEWER, COMMAND, f"you {CANARY} idiot")
            wait_for(lambda: shown() == number)  # noqa: B023 - it waits here
            wait_for(lambda: traces(folder) == [])
            assert modes(folder) == {0o600}
            process.send_signal(ending)
        wait_for(lambda: not slack.socket_mode.connected)
        assert traces(folder) == []


def test_a_response_url_of_a_clicked_button_is_gone_when_it_was_answered(tmp_path: Path) -> None:
    url = f"https://hooks.slack.com/actions/{CANARY}"
    subject = Subject("1766000000.000100", "", "toxic", 0.9, "insult", "abc")
    click = Click("1.2.4", "1766000000.000300", "T1", "U1", "C1", Action.WHY, subject, None, url)
    queue = GestureQueue(Database(tmp_path / "bot.sqlite"))
    queue.put(click)
    assert queue.take() is not None
    assert traces(tmp_path)
    queue.remove(click)
    assert traces(tmp_path) == []
