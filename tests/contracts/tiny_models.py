"""Tiny models of random weights, seeded: no cross-encoder comes with a package, and training needs a start."""

from __future__ import annotations

import shutil
from pathlib import Path

from connectors.models.embedder import find_folder

WIDTH = 8


def make_cross_encoder(folder: Path, *, labels: int = 1) -> Path:
    """A megabyte: two layers of 8 numbers over the packaged model's 30,522 word pieces; 64 positions."""
    from transformers import BertForSequenceClassification

    return _written(BertForSequenceClassification, folder, labels)


def make_bi_encoder(folder: Path) -> Path:
    """The same as a sentence-transformers folder with mean pooling."""
    from transformers import BertModel

    packaged = find_folder("packaged")
    shutil.copytree(packaged, folder, ignore=shutil.ignore_patterns("*.safetensors", "config.json"))
    shutil.copytree(packaged / "1_Pooling", folder / "1_Pooling", dirs_exist_ok=True)
    _resize_pooling(folder)
    return _written(BertModel, folder, 1)


def _written(model: type, folder: Path, labels: int) -> Path:
    import torch
    from transformers import BertConfig

    torch.manual_seed(7)
    config = BertConfig(
        hidden_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=4 * WIDTH,
        max_position_embeddings=64,
        num_labels=labels,  # type: ignore[call-arg]
        initializer_range=0.5,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        shutil.copy(find_folder("packaged") / name, folder / name)
    return folder


def _resize_pooling(folder: Path) -> None:
    import json

    file = folder / "1_Pooling" / "config.json"
    content = json.loads(file.read_text())
    for key in ("word_embedding_dimension", "embedding_dimension"):
        if key in content:
            content[key] = WIDTH
    file.write_text(json.dumps(content))
