"""Archives of messages, judged as a whole."""

from __future__ import annotations

import csv
import json
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from tests.cli.command import descendants, is_alive, run, started
from toxic_bot.archives import ArchiveError
from toxic_bot.archives.messages import messages, total_bytes
from toxic_bot.archives.report import Tally
from toxic_bot.judge.classifier import load

INSULT = "You are a pathetic idiot and everybody here hates you."
THANKS = "Thanks, that was a great help!"
CANARY = "zebrafinch"
NOVEMBER = "1795000000.000100"


def day(*texts: str, **fields: Any) -> list[dict[str, Any]]:
    return [
        {"type": "message", "user": f"U{CANARY}", "ts": NOVEMBER, "text": text} | fields
        for text in texts
    ]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """Slack's export, as documented: a folder for each channel, a file for each day."""
    path = tmp_path / "export.zip"
    joined = day("<@U1> has joined the channel", subtype="channel_join")
    with ZipFile(path, "w") as archive:
        archive.writestr("channels.json", json.dumps([{"id": "C1", "name": "general"}]))
        archive.writestr("users.json", json.dumps([{"id": f"U{CANARY}"}]))
        archive.writestr("general/2026-11-17.json", json.dumps([*day(THANKS, ""), *joined]))
        archive.writestr("general/2026-11-18.json", json.dumps(day("see <https://x.y|the page>")))
        archive.writestr("heated/2026-11-18.json", json.dumps(day(INSULT, THANKS)))
    return path


def rows_of(output: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = parquet.read_table(output / "report.parquet").to_pylist()
    return rows


def test_a_slack_export_is_read_as_people_see_it_without_what_slack_itself_wrote(
    export: Path,
) -> None:
    found = list(messages(export))
    assert [(m.channel, m.text) for m in found] == [
        ("general", THANKS),
        ("general", "see the page"),
        ("heated", INSULT),
        ("heated", THANKS),
    ]
    assert {m.month for m in found} == {"2026-11"}


def test_every_format_gives_the_same_messages_and_the_bytes_add_up(tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "channel": "a,b", "time": "2026-03-01T10:00:00", "user": "u", "text": text}
        for n, text in enumerate([THANKS, INSULT, 'with "quotes"\nand a line'])
    ]
    with (tmp_path / "x.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet")
    read: list[int] = []
    by_source: dict[str, list[tuple[str, ...]]] = {}
    for m in messages(tmp_path, read.append):
        by_source.setdefault(m.source, []).append((m.id, m.channel, m.month, m.user, m.text))
    assert len(by_source) == 3
    assert by_source["x.csv"] == by_source["x.jsonl"] == by_source["x.parquet"]
    assert by_source["x.csv"][0] == ("0", "a,b", "2026-03", "u", THANKS)
    assert sum(read) == total_bytes(tmp_path)


@given(st.binary(max_size=200), st.sampled_from([".csv", ".jsonl", ".parquet", ".zip"]))
def test_damaged_files_are_named_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("damaged") / f"archive{suffix}"
    path.write_bytes(content)
    if suffix in (".zip", ".parquet"):
        with pytest.raises(ArchiveError, match="archive") as raised:
            list(messages(path))
        assert len(str(raised.value).splitlines()) == 1
        return
    # Almost anything is a CSV file, so some of these are read.
    with suppress(ArchiveError):
        list(messages(path))


@pytest.mark.slow
def test_a_report_has_the_judges_verdicts_worst_channel_first_and_names_nobody(
    export: Path, tmp_path: Path, model_folder: Path
) -> None:
    output = tmp_path / "report"
    result = run("scan", str(export), "--output", str(output), "--model", str(model_folder))
    assert result.returncode == 0, result.stderr
    assert "4 messages, 1 of them toxic" in result.stdout
    classifier = load(model_folder, 1)
    rows = rows_of(output)
    for row, message in zip(rows, messages(export), strict=True):
        verdict = classifier.classify(message.text)
        assert row["score"] == pytest.approx(verdict.score, abs=1e-6)
        assert row["toxic"] == verdict.toxic
        assert row["kinds"] == list(verdict.kinds)
    page = (output / "report.html").read_text()
    assert page.index("heated") < page.index("general")
    assert set(rows[0]).isdisjoint({"user", "text"})
    assert CANARY not in page + str(rows) + result.stdout + result.stderr
    assert sorted(path.name for path in output.iterdir()) == ["report.html", "report.parquet"]


@pytest.mark.slow
def test_texts_and_people_are_kept_when_asked_for(export: Path, tmp_path: Path) -> None:
    output = tmp_path / "report"
    result = run("scan", str(export), "--output", str(output), "--texts", "--people")
    assert result.returncode == 0, result.stderr
    assert rows_of(output)[2]["text"] == INSULT
    assert rows_of(output)[2]["user"] == f"U{CANARY}"


@pytest.mark.slow
def test_a_scan_that_is_killed_goes_on_where_it_was_and_ends_with_the_same_report(
    tmp_path: Path,
) -> None:
    archive = tmp_path / "long.jsonl"
    archive.write_text(
        "".join(json.dumps({"id": n, "text": f"{THANKS} {n}"}) + "\n" for n in range(4000))
    )
    output = tmp_path / "killed"
    command = ["scan", str(archive), "--processes", "1", "--output"]
    with started(*command, str(output)) as process:
        deadline = time.monotonic() + 120
        while len(list(output.glob("parts/*.parquet"))) < 2:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        children = descendants(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
        while any(is_alive(child) for child in children):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    done = {path: path.stat().st_mtime_ns for path in output.glob("parts/*.parquet")}
    assert 2 <= len(done) < 8
    with started(*command, str(output)) as process:
        kept = True
        while process.poll() is None:
            for path, modified in done.items():
                if path.exists():
                    kept = kept and path.stat().st_mtime_ns == modified
            time.sleep(0.05)
        assert process.returncode == 0
    assert kept
    assert [row["id"] for row in rows_of(output)] == [str(n) for n in range(4000)]


@pytest.mark.slow
def test_a_folder_with_another_scan_is_not_mixed_with_this_one(tmp_path: Path) -> None:
    archive = tmp_path / "a.jsonl"
    archive.write_text(json.dumps({"text": THANKS}))
    (tmp_path / "scan").mkdir()
    (tmp_path / "scan" / "scan.json").write_text("{}")
    result = run("scan", str(archive), "--output", str(tmp_path / "scan"))
    assert result.returncode == 1
    [line] = [line for line in result.stderr.splitlines() if line.startswith("error:")]
    assert "--output" in line


def test_a_folder_with_nothing_to_read_says_what_could_be_read(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="Slack export"):
        list(messages(tmp_path))


def test_few_messages_count_less_than_many() -> None:
    assert Tally(2, 1).certain_share < Tally(100, 30).certain_share < 0.3
    assert Tally(0, 0).certain_share == 0
