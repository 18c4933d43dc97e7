"""The scoreboard, on tiny row files and with a tiny peer."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from benchmarks.__main__ import parser
from benchmarks.percentiles import Latency
from benchmarks.scoreboard import page, peer_process, plot
from benchmarks.scoreboard.board import Board, Place, Settings, play, timed
from benchmarks.scoreboard.classifiers import ALL, Contestant, Heard, contestants, listen
from benchmarks.scoreboard.figures import Figures
from benchmarks.scoreboard.published import PUBLISHED
from benchmarks.scoreboard.rows import Row, RowSet, hatemoji, identities, row_sets
from simulators import ROOT
from toxic_bot.judge.config import EMBEDDED_MODEL
from toxic_bot.judge.errors import ToxicBotError

PEER = """
import json, sys
asked = json.load(open(sys.argv[1]))
with open({log!r}, "a") as log:
    print(len(asked["texts"]), file=log)
scores = [float("rude" in text) for text in asked["texts"]]
answer = {{"version": "7", "bytes": 2_000_000, "scores": scores, "milliseconds": [1.0, 2.0, 3.0]}}
json.dump(answer, open(sys.argv[2], "w"))
"""


@pytest.fixture
def peer(tmp_path: Path) -> Contestant:
    script = tmp_path / "peer.py"
    script.write_text(PEER.format(log=str(tmp_path / "asked.log")))
    return Contestant("tiny", (sys.executable, str(script)), fingerprint="abc")


def write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows), path)


def hatecheck() -> list[dict[str, object]]:
    return [
        {"text": "a rude row", "label": 1, "function": "derog_neg_emote_h"},
        {"text": "a kind row", "label": 0, "function": "ident_pos_nh"},
        {"text": "a rude row on nobody", "label": 0, "function": "target_indiv_nh"},
    ]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.9])), min_size=1))
def test_the_auc_is_the_share_of_pairs_in_the_right_order_and_a_tie_is_half_a_pair(
    rows: list[tuple[bool, float]],
) -> None:
    labels, scores = [label for label, _ in rows], [score for _, score in rows]
    toxic = [score for label, score in rows if label]
    benign = [score for label, score in rows if not label]
    pairs = [(a > b) + (a == b) / 2 for a in toxic for b in benign]
    auc = Figures.of(labels, scores, 0.5).auc
    assert math.isnan(auc) if not pairs else auc == pytest.approx(sum(pairs) / len(pairs))


def test_figures_are_taken_at_the_limit_and_are_none_where_one_label_is_missing() -> None:
    figures = Figures.of([True, True, False, False], [0.5, 0.4, 0.5, 0.1], 0.5)
    assert (figures.found, figures.false_alarms, figures.macro_f1) == (0.5, 0.5, 0.5)
    benign = Figures.of([False, False], [0.9, 0.1], 0.5)
    assert benign.false_alarms == 0.5
    assert all(map(math.isnan, (benign.auc, benign.macro_f1, benign.found)))


def test_rows_are_read_from_where_they_are_and_what_is_missing_is_named(tmp_path: Path) -> None:
    write_rows(tmp_path / "hatecheck.parquet", hatecheck())
    sets, missing = row_sets(tmp_path, None)
    english = sets[0]
    assert (english.name, len(english.rows), len(english.undisputed.rows)) == ("HateCheck en", 3, 2)
    assert [one.name for one in sets[1:]] == [
        f"our suites {language}" for language in ("en", "de", "es", "fr", "it", "pt")
    ]
    assert len(missing) == 6
    assert missing[0] == "HateCheck de: hatecheck_german.parquet is not in --evaluate-only"
    assert missing[-1].endswith("give --data FOLDER")


def test_of_a_data_folder_only_test_splits_are_read(tmp_path: Path) -> None:
    row = {"source": "hatemoji_build", "strict_label": 1, "label": 1}
    write_rows(
        tmp_path / "hatemoji_build.parquet",
        [
            {**row, "text": "women, seen in training", "split": "train"},
            {**row, "text": "women, seen in validation", "split": "validation"},
            {**row, "text": "women, never seen", "split": "test"},
            {**row, "text": "women, undecided", "split": "test", "strict_label": None},
        ],
    )
    assert [one.text for one in hatemoji(tmp_path)] == ["women, never seen", "women, undecided"]
    assert identities(tmp_path) == (Row("women, never seen", True, "gender"),)


def test_a_peer_is_asked_only_for_the_texts_that_it_has_not_scored(
    peer: Contestant, tmp_path: Path
) -> None:
    heard = listen(peer, ["rude", "kind"], ["short"], tmp_path / "cache")
    assert heard.scores == {"rude": 1.0, "kind": 0.0}
    assert (heard.version, heard.megabytes, heard.latency.p50) == ("7", 2.0, 2.0)
    again = listen(peer, ["kind", "rude", "new"], ["short"], tmp_path / "cache")
    assert again.scores == {"rude": 1.0, "kind": 0.0, "new": 0.0}
    assert (tmp_path / "asked.log").read_text().split() == ["2", "1"]
    # No text lies in the cache.
    assert "rude" not in "".join(file.read_text() for file in (tmp_path / "cache").iterdir())


def test_a_peer_that_fails_says_why(tmp_path: Path) -> None:
    script = tmp_path / "peer.py"
    script.write_text("raise SystemExit('error: no weights')")
    broken = Contestant("broken", (sys.executable, str(script)))
    with pytest.raises(ToxicBotError, match="broken failed: error: no weights"):
        listen(broken, ["text"], [], tmp_path / "cache")


def test_what_is_not_installed_is_left_out_and_named(
    peer: Contestant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rows(tmp_path / "hatecheck.parquet", hatecheck())
    absent = Contestant("absent", (str(tmp_path / "nowhere"),), remedy="make .venv/absent")
    monkeypatch.setattr("benchmarks.scoreboard.board.contestants", lambda *_: [peer, absent])
    said: list[str] = []
    settings = Settings(tmp_path, tmp_path, None, tmp_path, cache=tmp_path / "cache")
    board = play(settings, said.append)
    assert [place.contestant.name for place in board.places] == ["tiny"]
    assert "left out: absent: make .venv/absent" in said
    text = page.tables(board)
    # All, and without what is toxic for this project.
    assert "| 3 | tiny | 0.750 | 0.667 | 100.0% | 50.0% |" in text
    assert "| 2, without two functions | tiny | 1.000 | 1.000 | 100.0% | 0.0% |" in text
    assert "| `target_indiv_nh` | not | 1 | 0.0% |" in text
    assert "| tiny | 7 | 2.0 | 2.00 |" in text
    # It reads English only.
    assert "German" not in text


def board() -> Board:
    rows = RowSet("HateCheck en", "en", (Row("a", True, "one"), Row("b", False, "two")))
    latency = Latency.from_milliseconds([1.0, 2.0])
    heard = Heard("1", 0.01, {"a": 1.0, "b": 0.0}, latency)
    return Board((Place(Contestant("tiny", ("x",)), heard),), (rows,), ())


def test_the_page_is_written_between_its_marks_and_again(tmp_path: Path) -> None:
    path = tmp_path / "scoreboard.md"
    path.write_text(f"# By hand\n\n{page.BEGIN}\nold\n{page.END}\nafter\n", "utf-8")
    page.write(board(), path)
    once = path.read_text("utf-8")
    page.write(board(), path)
    assert path.read_text("utf-8") == once
    assert once.startswith("# By hand\n")
    assert once.endswith("\nafter\n")
    assert "old" not in once
    plot.draw(board(), tmp_path / "scoreboard.png")
    assert (tmp_path / "scoreboard.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_without_marks_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "scoreboard.md"
    path.write_text("# By hand\n", "utf-8")
    with pytest.raises(ToxicBotError, match="lacks the lines"):
        page.write(board(), path)
    assert path.read_text("utf-8") == "# By hand\n"


def test_the_published_figures_are_marked_as_theirs_with_a_source() -> None:
    text = page.tables(board()).partition("## Published by others")[2].partition("##")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")][2:]
    assert len(lines) == len(PUBLISHED)
    assert all(line.endswith(") |") and "[page](https://" in line for line in lines)


def test_every_peer_has_a_lock_file_with_hashes_and_a_way_to_load_it() -> None:
    peers = [one for one in contestants(EMBEDDED_MODEL, ROOT / ".venv", ()) if one.remedy]
    assert len(peers) == 4
    for one in peers:
        assert one.name in peer_process.PEERS
        lock = (ROOT / "requirements" / f"{one.name}.txt").read_text()
        assert f"{one.name}==" in lock
        assert "--hash=sha256:" in lock
    assert timed()
    options = parser().parse_args(["scoreboard"])
    assert (ROOT / options.page).exists()


@pytest.mark.slow
def test_this_projects_classifier_is_scored_in_a_process_of_its_own(tmp_path: Path) -> None:
    [ours, *_] = contestants(EMBEDDED_MODEL, tmp_path, ())
    texts = ["you are a pathetic idiot", "thanks for the review", "Du bist ein Idiot"]
    heard = listen(ours, texts, texts, tmp_path / "cache")
    assert ours.languages == ALL
    assert [heard.scores[text] >= 0.5 for text in texts] == [True, False, True]
    files = [*EMBEDDED_MODEL.rglob("*.onnx"), *EMBEDDED_MODEL.rglob("tokenizer.json")]
    assert heard.megabytes * 1e6 == sum(file.stat().st_size for file in files)
    assert heard.latency.runs == len(texts)
    json.dumps(heard.scores)
