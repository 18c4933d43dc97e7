"""The pipeline makes a model of several languages, for texts that are not in English."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import pandas as pd
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from model_build import build
from model_build.profile import E5
from model_build.rows import dataset
from model_build.training import checkpoint as checkpoints
from model_build.training.mean_pooling import MeanPooledBert
from model_build.work import Work
from tests.model_build.tiny import TRAINING
from toxic_bot.judge.classifier import load
from toxic_bot.judge.verdict import Reason, Status

GERMAN = {
    "Du bist ein elender Trottel und niemand mag dich": 1,
    "Halt die Klappe, du dummer Esel": 1,
    "Danke für die schnelle Hilfe, das läuft wieder": 0,
    "Der Prozess ist abgeschossen und neu gestartet": 0,
}
VOCABULARY = 600


@pytest.fixture(scope="module")
def rows_of_two(tmp_path_factory: pytest.TempPathFactory, texts: Path) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    shutil.copy(texts / "talk.jsonl", folder)
    rows = [
        {"text": f"{text}, Nummer {number}", "label": label, "lang": "de"}
        for number in range(40)
        for text, label in GERMAN.items()
    ]
    (folder / "gespräch.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory, rows_of_two: Path) -> Path:
    """Return a two-layer BERT with random weights and a Unigram vocabulary."""
    folder = tmp_path_factory.mktemp("encoder")
    content = "".join(file.read_text() for file in sorted(rows_of_two.iterdir()))
    words = sorted({f"\u2581{word}" for word in json.dumps(content, ensure_ascii=False).split()})
    latin = {chr(code) for code in (*range(33, 127), *range(0xA1, 0x180))}
    letters = sorted({*latin, "\u2581", "日"})
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *letters, *(w for w in words if w not in letters)]
    tokenizer = Tokenizer(
        models.Unigram([(piece, -float(n)) for n, piece in enumerate(pieces)], unk_id=3)
    )
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>", cls_token="<s>"
    ).save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        pad_token_id=1,
    )
    transformers.BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Work:
    return Work(tmp_path_factory.mktemp("work"))


@pytest.fixture(scope="module")
def model(
    tmp_path_factory: pytest.TempPathFactory, work: Work, rows_of_two: Path, encoder: Path
) -> Path:
    profile = dataclasses.replace(E5, window=64, vocabulary=VOCABULARY)
    rows = dataset.Settings((str(rows_of_two),), templates=0, written=False, multilingual=True)
    return build.run(
        work,
        profile,
        tmp_path_factory.mktemp("model"),
        data=rows,
        checkpoint=str(encoder),
        training=dataclasses.replace(TRAINING, frozen_layers=1),
    )


@pytest.mark.slow
@pytest.mark.long
def test_the_served_graph_tells_toxic_from_not_in_another_language(model: Path) -> None:
    classifier = load(model)
    scores = {text: classifier.classify(text, "de").score for text in GERMAN}
    toxic = min(score for text, score in scores.items() if GERMAN[text])
    assert toxic > max(score for text, score in scores.items() if not GERMAN[text])


@pytest.mark.slow
@pytest.mark.long
def test_marks_reach_the_model_and_nothing_it_reads_is_unknown(model: Path, work: Work) -> None:
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    assert tokenizer.get_vocab_size() <= VOCABULARY
    rows = pd.read_parquet(work.require("data", "train.parquet"))
    assert rows["text"].str.contains("ü").any()
    unknown = tokenizer.token_to_id("<unk>")
    texts = [*rows["text"], "Ärger über Öl, garçon, señor, coração, perché"]
    assert not [t for t in texts if unknown in tokenizer.encode(t).ids]


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.usefixtures("model")
def test_a_trained_checkpoint_keeps_its_mean_and_scale(work: Work) -> None:
    trained = checkpoints.load(str(work.require("train", "model")), fresh_head=False)
    assert isinstance(trained.model, MeanPooledBert)
    mean, scale = trained.model.standardization.weight.detach().numpy()
    assert np.abs(mean).max() > 0
    assert scale.min() > 0


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.usefixtures("model")
def test_padding_changes_no_logits(work: Work) -> None:
    trained = checkpoints.load(str(work.require("train", "model")), fresh_head=False)
    ids = torch.tensor([trained.tokenizer.encode("Du bist ein Trottel").ids])
    padded = torch.nn.functional.pad(ids, (0, 5), value=1)
    mask = torch.nn.functional.pad(torch.ones_like(ids), (0, 5))
    with torch.inference_mode():
        alone = trained.model(ids, torch.ones_like(ids)).logits
        together = trained.model(padded, mask).logits
    assert torch.allclose(alone, together, atol=1e-5)


@pytest.mark.slow
@pytest.mark.long
def test_each_text_is_judged_by_the_model_of_its_language(
    built: tuple[Work, Path], model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "both"
    shutil.copytree(built[1], folder)
    shutil.copytree(model, folder / "multilingual")
    both, english, other = load(folder), load(built[1]), load(model)
    text = "Du bist ein elender Trottel und niemand mag dich"
    assert both.classify(text).score == other.classify(text, "de").score
    assert both.classify(text).language == "de"
    thanks = "thank you for the quick review of this change"
    assert both.classify(thanks) == english.classify(thanks)
    polish = both.classify("Możesz to sprawdzić przed lunchem, proszę?")
    assert (polish.status, polish.reason) == (Status.NOT_JUDGED, Reason.LANGUAGE)
    assert both.at(0.0).classify(text).toxic
    assert both.reading(both.classify("Über dich lacht doch die ganze Firma"), "Über") == "Über"
