"""A small transformer written by hand, and the verdict on it."""

from __future__ import annotations

from collections.abc import Collection

from certify.claims.formula.outcomes import Outcome
from certify.claims.formula.pipeline import certify_transformer
from certify.claims.softened.pipeline import soften_model
from certify.claims.softened.results import Softening
from certify.common.files import write_text
from certify.requests.request import DEFAULT_MAX_N
from constructions.arguments import typed
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.network.assumption import assume
from constructions.network.json_form import transformer_to_json, write_canonical
from constructions.network_builder import NetworkBuilder


class Network(NetworkBuilder):
    """A transformer written by hand (docs/howto/models.md).

    >>> net = Network("w0,w1,i", temperature="1/(2*n)")
    >>> bit = net.head("last bit", key={"Q_w0 | Q_w1": 1, "i/n": 1}, value="Q_w1", means="!Q_w0 S Q_w1")
    >>> net.output(net.round(bit))
    'is[!Q_w0 S Q_w1]'
    >>> net.certify(max_n=8).verdict
    'certified'
    """

    @typed
    def certify(self, max_n: int = DEFAULT_MAX_N, min_n: int = 1,
                given: str | None = None) -> Outcome:
        """Decide whether every direction has its meaning, for every word of length ``min_n`` to ``max_n``.

        The claim is about the positions where the formula ``given`` holds; other words are not constrained.

        Raises:
            InputError: if there is no output, or something is not defined at some (n, i).
        """
        network = self.build()
        if given is not None:
            network = assume(network, parse_formula(given, self.alphabet, self._predicates))
        return certify_transformer(network, max_n, min_n=min_n)

    @typed
    def soften(self, max_n: int, temperature: str | None = None, critical: Collection[int] = ()) -> Softening:
        """Decide whether softmax for its hard attention moves the result by at most 1/4, on every word up to ``max_n``.

        The default ``temperature``, an expression in n, is the one of [SHA] Theorem 26; docs/howto/soften.md is the
        guide.

        >>> net = Network("0,1,-")
        >>> net.output(net.head("last bit", key={"Q_0 | Q_1": 1, "i/n": 1}, value="Q_1", weighting="rightmost-hardmax"))
        'last bit'
        >>> found = net.soften(4)
        >>> found.verdict, str(found.gap_law)
        ('certified', '1/n')

        Raises:
            InputError: if there is no output, or something is not defined, or not positive, at some (n, i).
        """
        parsed = None if temperature is None else parse_expression(temperature)
        return soften_model(self.build(), max_n, parsed, critical)

    @typed
    def save(self, path: str) -> None:
        """Write the model file that ``certify model`` reads.

        Raises:
            InputError: if there is no output, or the file cannot be written.
        """
        write_text(path, write_canonical(transformer_to_json(self.build())))
