"""
A GGUF file of 200 kB that the engine loads in a moment: a model of random weights.

What it writes means nothing and never ends, but it is the same each time, and what the engine keeps
of it is kept as that of any other model.
"""

from __future__ import annotations

import array
import random
import struct
from collections.abc import Sequence
from pathlib import Path

WIDTH, LAYERS, HIDDEN, HEADS = 32, 2, 64, 4
ALIGNMENT = 32
UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
CONTROL, UNKNOWN, USER, BYTE = 3, 2, 4, 6
TOKENS = [
    "<unk>",
    "<s>",
    "</s>",
    *(f"<0x{byte:02X}>" for byte in range(256)),
    "<|im_start|>",
    "<|im_end|>",
]
TYPES = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, USER, USER]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_tiny_model(path: Path) -> Path:
    """Write the file."""
    tensors = _tensors()
    keys = _keys()
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(keys)) + b"".join(keys)
    infos, data = b"", b""
    for name, shape, values in tensors:
        infos += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        infos += struct.pack("<IQ", 0, len(data))
        data += _padded(values)
    path.write_bytes(_padded(head + infos) + data)
    return path


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % ALIGNMENT)


def _text(text: str) -> bytes:
    content = text.encode()
    return struct.pack("<Q", len(content)) + content


def _key(name: str, kind: int, value: bytes) -> bytes:
    return _text(name) + struct.pack("<I", kind) + value


def _array(kind: int, items: Sequence[bytes]) -> bytes:
    return struct.pack("<IQ", kind, len(items)) + b"".join(items)


def _keys() -> list[bytes]:
    numbers = {
        "llama.context_length": 8192,
        "llama.embedding_length": WIDTH,
        "llama.block_count": LAYERS,
        "llama.feed_forward_length": HIDDEN,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": HEADS,
        "llama.rope.dimension_count": WIDTH // HEADS,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }
    texts = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "llama",
        "tokenizer.chat_template": TEMPLATE,
    }
    switches = ("tokenizer.ggml.add_bos_token", "tokenizer.ggml.add_space_prefix")
    return [
        *(_key(name, STRING, _text(text)) for name, text in texts.items()),
        *(_key(name, UINT32, struct.pack("<I", number)) for name, number in numbers.items()),
        *(_key(name, BOOL, b"\0") for name in switches),
        _key("llama.attention.layer_norm_rms_epsilon", FLOAT32, struct.pack("<f", 1e-5)),
        _key("tokenizer.ggml.tokens", ARRAY, _array(STRING, [_text(token) for token in TOKENS])),
        _key("tokenizer.ggml.scores", ARRAY, _array(FLOAT32, [bytes(4)] * len(TOKENS))),
        _key(
            "tokenizer.ggml.token_type",
            ARRAY,
            _array(INT32, [struct.pack("<i", kind) for kind in TYPES]),
        ),
    ]


def _tensors() -> list[tuple[str, tuple[int, ...], bytes]]:
    """The name, shape (fastest first) and content of each tensor."""
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (WIDTH, len(TOKENS)),
        "output_norm.weight": (WIDTH,),
        "output.weight": (WIDTH, len(TOKENS)),
    }
    for layer in range(LAYERS):
        own: dict[str, tuple[int, ...]] = {
            "attn_norm": (WIDTH,),
            "ffn_norm": (WIDTH,),
            **dict.fromkeys(("attn_q", "attn_k", "attn_v", "attn_output"), (WIDTH, WIDTH)),
            **dict.fromkeys(("ffn_gate", "ffn_up"), (WIDTH, HIDDEN)),
            "ffn_down": (HIDDEN, WIDTH),
        }
        shapes |= {f"blk.{layer}.{name}.weight": shape for name, shape in own.items()}
    source = random.Random(1)  # noqa: S311
    made = {name: _weights(source, shape) for name, shape in shapes.items()}
    made["output.weight"] = _without_end(made["output.weight"])
    return [(name, shape, made[name]) for name, shape in shapes.items()]


def _without_end(output: bytes) -> bytes:
    """Weights under which the likeliest token is never one that ends a reply."""
    row = WIDTH * 4
    rows = [output[start : start + row] for start in range(0, len(output), row)]
    return b"".join(
        weights if kind == BYTE else bytes(row) for weights, kind in zip(rows, TYPES, strict=True)
    )


def _weights(source: random.Random, shape: tuple[int, ...]) -> bytes:
    if len(shape) == 1:
        return array.array("f", [1.0] * shape[0]).tobytes()
    return array.array("f", [source.gauss(0, 0.3) for _ in range(shape[0] * shape[1])]).tobytes()
