"""A trained network in torch, by torch's own functions: the reference of enclosures and of the float pass."""

from typing import Any

import numpy as np

from constructions.trained.network import TrainedNetwork
from tests.with_torch import torch_or_skip


class TorchForward:
    """Logits of whole inputs, in a format of torch; it is what `certify train` changes."""

    def __init__(self, network: TrainedNetwork, form: str = "float64") -> None:
        self.torch = torch_or_skip()
        from certify.learning.training.forward import TorchNetwork

        self.torch.set_num_threads(1)
        self.network = TorchNetwork(network, form)

    def logits(self, tokens: Any, offset: int) -> Any:
        """[B, T, outputs] of inputs [B, T], as a numpy array."""
        inputs = self.torch.as_tensor(np.asarray(tokens))
        x = self.network(inputs, (offset + self.torch.arange(inputs.shape[1])).expand(inputs.shape))
        return x.to(self.torch.float64).numpy() if self.network.form == self.torch.bfloat16 else x.numpy()
