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
from toxic_bot.archives.archived import Archived
from toxic_bot.archives.messages import messages, total_bytes
from toxic_bot.archives.report import Tally
from toxic_bot.archives.skips import Skips
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


def read_leniently(archive: Path, column: str | None = None) -> tuple[list[Archived], Skips]:
    skips = Skips()
    return list(messages(archive, skips=skips, column=column)), skips


def test_one_broken_day_is_skipped_and_named_and_the_others_are_read(
    export: Path,
) -> None:
    with ZipFile(export, "a") as archive:
        archive.writestr("general/2026-11-19.json", f'[{{"text": "{CANARY}')
        archive.writestr("general/2026-11-20.json", json.dumps({"not": "a list"}))
        archive.writestr("general/2026-11-21.json", json.dumps(["no message", *day(THANKS)]))
        # A day whose text is a number, and an odd message that is none of a person's.
        archive.writestr("general/2026-11-22.json", json.dumps([*day(7), {"type": "odd"}]))  # type: ignore[arg-type] # on purpose
    found, skips = read_leniently(export)
    assert [message.text for message in found].count(THANKS) == 3
    assert skips.count == 4
    assert [line.partition(": ")[0] for line in skips.named] == [
        "export.zip/general/2026-11-19.json",
        "export.zip/general/2026-11-20.json",
        "export.zip/general/2026-11-21.json, message 1",
        "export.zip/general/2026-11-22.json, message 1",
    ]
    assert CANARY not in str(skips.named)
    with pytest.raises(ArchiveError, match="2026-11-19"):
        list(messages(export))


def test_an_unpacked_export_and_a_damaged_entry_are_no_different(
    export: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "unpacked"
    with ZipFile(export) as archive:
        archive.extractall(folder)
    (folder / "general" / "2026-11-18.json").write_text("[")
    found, skips = read_leniently(folder)
    assert len(found) == 3
    assert skips.named == [
        "general/2026-11-18.json: it cannot be read to its end (JSONDecodeError)"
    ]
    content = bytearray(export.read_bytes())
    content[content.index(b"the page") - 4] ^= 1
    export.write_bytes(content)
    found, skips = read_leniently(export)
    assert len(found) == 3
    assert skips.count == 1


def test_rows_without_a_text_are_skipped_and_named(tmp_path: Path) -> None:
    archive = tmp_path / "rows.jsonl"
    lines = ['{"text": "one"}', "", '{"id": 2}', "{", "[]", '{"text": ["a"]}', '{"text": null}']
    archive.write_text("\n".join([*lines, '{"text": "two"}']))
    found, skips = read_leniently(archive)
    assert [(m.text, m.id) for m in found] == [("one", "1"), ("two", "8")]
    assert [line.partition(":")[0] for line in skips.named] == [
        f"rows.jsonl, row {number}" for number in (3, 4, 5, 6)
    ]


def test_a_long_csv_field_is_read_and_an_endless_one_is_skipped(tmp_path: Path) -> None:
    archive = tmp_path / "long.csv"
    archive.write_text(f"text\n{'a' * 200_000}\n{'b' * 1_100_000}\nlast\n")
    found, skips = read_leniently(archive)
    assert [len(message.text) for message in found] == [200_000, 4]
    assert skips.named == ["long.csv, line 3: a field has more than 1,048,576 characters"]


def test_a_file_that_is_damaged_keeps_nobody_from_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK")
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    (tmp_path / "c.csv").write_text("words\nhello\n")
    (tmp_path / "d.csv").write_text("text\nhello\n")
    assert total_bytes(tmp_path) > 0
    found, skips = read_leniently(tmp_path)
    assert [message.source for message in found] == ["d.csv"]
    assert [line.partition(":")[0] for line in skips.named] == ["a.zip", "b.parquet", "c.csv"]
    assert "--column" in skips.named[2]


@pytest.mark.parametrize("content", [{}, {"channels.json": "[]"}, {"a/b.txt": "x"}])
def test_a_zip_file_that_is_no_export_is_an_error(tmp_path: Path, content: dict[str, str]) -> None:
    with ZipFile(tmp_path / "empty.zip", "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    with pytest.raises(ArchiveError, match="no Slack export"):
        read_leniently(tmp_path / "empty.zip")


def test_what_apps_post_is_nobodys_message(tmp_path: Path) -> None:
    posts = [*day(INSULT, bot_id="B1"), *day(INSULT, bot_id="B1", subtype="bot_message")]
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("general/2026-11-17.json", json.dumps([*posts, *day(THANKS, bot_id="")]))
    assert [message.text for message in messages(tmp_path / "export.zip")] == [THANKS]


def test_a_message_that_is_only_in_blocks_is_read_from_them(tmp_path: Path) -> None:
    def section(*elements: dict[str, Any]) -> dict[str, Any]:
        return {"type": "rich_text_section", "elements": list(elements)}

    rich = [
        section(
            {"type": "user", "user_id": "U1"},
            {"type": "text", "text": ", you are an "},
            {"type": "emoji", "name": "clown_face"},
        ),
        {"type": "rich_text_list", "elements": [section({"type": "link", "url": "https://x.y"})]},
    ]
    blocks = [
        {"type": "rich_text", "elements": rich},
        {"type": "divider"},
        {"type": "section", "text": {"type": "mrkdwn", "text": "and a *fool*"}},
        "no block",
    ]
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("general/2026-11-17.json", json.dumps(day("", blocks=blocks)))
    [message] = messages(tmp_path / "export.zip")
    assert message.text == "@user, you are an clown face\nhttps://x.y\nand a fool"


def test_binary_columns_are_text_or_are_skipped(tmp_path: Path) -> None:
    rows = {"text": ["grüßt".encode(), b"\xff\xfe\xfd", None], "user": [b"u1", b"u2", b"u3"]}
    parquet.write_table(pa.table(rows), tmp_path / "binary.parquet")
    [message], skips = read_leniently(tmp_path / "binary.parquet")
    assert (message.text, message.user) == ("grüßt", "u1")
    assert skips.named == ["binary.parquet, row 2: its text is not text"]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"]
)
def test_every_customary_encoding_is_read(tmp_path: Path, suffix: str, encoding: str) -> None:
    text = "Das hätte ich nicht gedacht, Señor" + (" – 5 €" if encoding != "latin-1" else "")
    content = f'text\n"{text}"\n' if suffix == ".csv" else f'{{"text": "{text}"}}\n'
    (tmp_path / f"x{suffix}").write_bytes(content.encode(encoding))
    [message], skips = read_leniently(tmp_path / f"x{suffix}")
    assert message.text == text
    assert skips.count == 0
    assert bool(skips.notes) == (encoding in ("latin-1", "cp1252"))


def test_a_broken_byte_in_utf8_costs_its_row_only(tmp_path: Path) -> None:
    content = "text\nschön\nüber\nkap".encode() + b"\xfctt\nlast\n"
    (tmp_path / "x.csv").write_bytes(content)
    found, skips = read_leniently(tmp_path / "x.csv")
    assert [message.text for message in found] == ["schön", "über", "last"]
    assert skips.named == ["x.csv, row 3: it is not in the file's encoding"]


@pytest.mark.parametrize(
    "header", ["id;text", "id\ttext", "id|text", "sep=;\nid;text", "ID,TEXT", " id , Comment "]
)
def test_other_delimiters_and_headers_are_found(tmp_path: Path, header: str) -> None:
    delimiter = next(mark for mark in ";\t|," if mark in header)
    (tmp_path / "x.csv").write_text(f'{header}\n7{delimiter}"a, b; c"\n')
    [message] = messages(tmp_path / "x.csv")
    assert (message.id, message.text) == ("7", "a, b; c")


def test_the_column_with_the_messages_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("text,Post Body\nsubject,the message\n")
    (tmp_path / "x.jsonl").write_text('{"text": "subject", "post body": "the message"}\n')
    found, _ = read_leniently(tmp_path, column="Post body")
    assert [message.text for message in found] == ["the message"] * 2
    with pytest.raises(ArchiveError, match="no column 'elsewhere'"):
        read_leniently(tmp_path, column="elsewhere")


@pytest.mark.slow
def test_after_a_scan_that_could_read_nothing_another_column_can_be_named(tmp_path: Path) -> None:
    archive, output = tmp_path / "a.csv", tmp_path / "report"
    archive.write_text(f"words\n{THANKS}\n")
    assert run("scan", str(archive), "--output", str(output)).returncode == 1
    result = run("scan", str(archive), "--output", str(output), "--column", "words")
    assert result.returncode == 0, result.stderr
    assert len(rows_of(output)) == 1


@pytest.mark.slow
def test_a_scan_says_what_it_has_skipped_and_its_status_too(tmp_path: Path) -> None:
    archive, output = tmp_path / "a.jsonl", tmp_path / "report"
    archive.write_text(f'{{"text": "{THANKS}"}}\n{{"{CANARY}": 1}}\n' + "{}\n" * 20 + "{\n" * 20)
    result = run("scan", str(archive), "--output", str(output))
    assert result.returncode == 3, result.stderr
    assert "Judged 1 messages" in result.stdout
    lines = result.stderr.splitlines()
    assert sum(line.startswith("skipped: a.jsonl, row ") for line in lines) == 10
    assert any(line.startswith("Skipped 21 that could not be read") for line in lines)
    named = (output / "skipped.txt").read_text()
    assert len(named.splitlines()) == 21
    assert CANARY not in named + result.stderr
    strict = run("scan", str(archive), "--output", str(tmp_path / "strict"), "--strict")
    assert strict.returncode == 1
    [line] = [line for line in strict.stderr.splitlines() if line.startswith("error:")]
    assert "a.jsonl, row 2" in line


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


@pytest.mark.long
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
