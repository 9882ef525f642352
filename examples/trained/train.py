"""Train the networks of the zoo: ``python -m examples.trained.train [NAME ...]`` in the root of the repository.

One thread, fixed seeds and deterministic algorithms: the same torch on the same processor gives the same bytes. Each
folder gets model.safetensors, other files of its format, and accuracy.toml: the right answers on 10,000 words.
"""

import argparse
import json
import time
from typing import Any

import numpy as np
import torch
from safetensors.numpy import save
from torch.nn import functional

from examples.trained.networks import KINDS, RMS_EPSILON, ROTARY_BASE, NetworkSizes
from examples.trained.tasks import Samples, Task, draw
from examples.trained.zoo import Plan, chosen

BATCH, RATE, SAMPLES = 64, 3e-3, 10_000


def train(plan: Plan) -> torch.nn.Module:
    """Train by Adam from the plan's seed; the rate rises over a tenth of the steps and falls to 0 over the others."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(plan.seed)
    rng, task = np.random.default_rng(plan.seed), plan.trains_on
    network = KINDS[plan.kind](shape_of(plan))
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    rising = max(plan.steps // 10, 1)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / rising, (plan.steps - step) / (plan.steps - rising + 1)))
    for _ in range(plan.steps):
        samples = draw(task, BATCH, int(rng.integers(1, plan.max_n + 1)), rng)
        optimizer.zero_grad()
        loss(answers(network, task, samples, offsets(plan, samples, rng)), samples).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return network.eval()


def shape_of(plan: Plan) -> NetworkSizes:
    """Return the sizes of a network."""
    return NetworkSizes(plan.trains_on.vocabulary, plan.rows, plan.layers, plan.heads)


def offsets(plan: Plan, samples: Samples, rng: np.random.Generator) -> torch.Tensor:
    """Return an offset for each word: the plan's, or a random one where all its tokens have rows."""
    count, length = samples.tokens.shape
    drawn = rng.integers(plan.rows - length + 1, size=count) if plan.offset is None else np.full(count, plan.offset)
    return torch.from_numpy(drawn)


def answers(network: torch.nn.Module, task: Task, samples: Samples, first: torch.Tensor) -> torch.Tensor:
    """Return the values of the task's rows [B, judged tokens, rows]; ``first`` [B]: the offsets."""
    tokens = torch.from_numpy(samples.tokens)
    logits = network(tokens, first[:, None] + torch.arange(tokens.shape[1]))
    return logits[:, torch.from_numpy(samples.at)] @ torch.from_numpy(task.forms)


def loss(values: torch.Tensor, samples: Samples) -> torch.Tensor:
    """Return the cross-entropy of the signs where they are judged."""
    positive = torch.from_numpy(samples.positive).float()
    judged = torch.from_numpy(samples.judged)[:, :, None].expand_as(positive).float()
    return functional.binary_cross_entropy_with_logits(values, positive, judged)


def accuracy(network: torch.nn.Module, plan: Plan, count: int = SAMPLES) -> tuple[int, int]:
    """Return the number of words of random lengths with all signs right, and their number: ``count`` or a few more."""
    rng, task, right, words = np.random.default_rng(plan.seed + 10**6), plan.trains_on, 0, 0
    while words < count:
        samples = draw(task, BATCH, int(rng.integers(1, plan.max_n + 1)), rng)
        with torch.inference_mode():
            positive = answers(network, task, samples, offsets(plan, samples, rng)).numpy() > 0
        wrong = ((positive != samples.positive).any(axis=2) & samples.judged).any(axis=1)
        judged = samples.judged.any(axis=1)
        right, words = right + int((judged & ~wrong).sum()), words + int(judged.sum())
    return right, words


def model_bytes(network: torch.nn.Module) -> bytes:
    """Return the weights as a safetensors file."""
    return bytes(save({name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}))


def llama_config(shape: NetworkSizes) -> dict[str, Any]:
    """Return the relevant part of Hugging Face's config.json of a LLaMA."""
    return {
        "model_type": "llama", "vocab_size": shape.vocabulary, "hidden_size": shape.width,
        "intermediate_size": shape.units, "num_hidden_layers": shape.layers, "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.heads, "max_position_embeddings": shape.rows, "hidden_act": "silu",
        "rms_norm_eps": RMS_EPSILON, "rope_theta": ROTARY_BASE, "attention_bias": False, "mlp_bias": False,
        "tie_word_embeddings": False,
    }


def write(plan: Plan) -> None:
    """Train one network and write its files."""
    started = time.process_time()
    network = train(plan)
    right, words = accuracy(network, plan)
    plan.folder.mkdir(exist_ok=True)
    (plan.folder / "model.safetensors").write_bytes(model_bytes(network))
    if plan.kind == "llama":
        settings = json.dumps(llama_config(shape_of(plan)), indent=2) + "\n"
        (plan.folder / "config.json").write_text(settings, encoding="utf-8")
    (plan.folder / "accuracy.toml").write_text(f"right = {right}\nwords = {words}\n", encoding="utf-8")
    print(f"{plan.name}: {right} of {words} words right, {time.process_time() - started:.0f} s")


def main() -> None:
    """Train the networks that are named, or all."""
    parser = argparse.ArgumentParser(description="Train the networks of the zoo.")
    for plan in chosen(parser)[0]:
        write(plan)


if __name__ == "__main__":
    main()
