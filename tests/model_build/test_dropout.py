"""Dropout drops whole channels of a text, and only while a model is trained."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the pipeline needs the 'build' dependencies")

import torch

from model_build.checkpoint import load
from model_build.dropout import SharedDropout, share_dropout


def test_a_channel_is_dropped_for_all_tokens_of_a_text_or_for_none() -> None:
    torch.manual_seed(1)
    found = SharedDropout(0.5)(torch.ones(40, 7, 32))
    assert ((found == 0) | (found == 2)).all()
    assert (found == found[:, :1]).all()
    assert not (found == found[:1]).all()
    assert found.mean().item() == pytest.approx(1, abs=0.1)


def test_nothing_is_dropped_in_a_forward_pass_alone() -> None:
    values = torch.rand(3, 5, 8)
    assert torch.equal(SharedDropout(0.5).eval()(values), values)
    assert torch.equal(SharedDropout(0.0)(values), values)


def test_a_model_drops_in_every_layer_but_not_in_attention(tiny_bert: Path) -> None:
    model = load(str(tiny_bert), fresh_head=True).model
    share_dropout(model, 0.3)
    shared = [name for name, one in model.named_modules() if isinstance(one, SharedDropout)]
    assert sum("layer.1." in name for name in shared) == 2
    for one in model.modules():
        assert not isinstance(one, torch.nn.Dropout) or one.p == 0
    ids = torch.arange(5, 15)[None]
    model.train()
    assert not torch.equal(model(input_ids=ids).logits, model(input_ids=ids).logits)
    model.eval()
    assert torch.equal(model(input_ids=ids).logits, model(input_ids=ids).logits)
