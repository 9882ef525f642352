"""Compiler of programs to hard attention: every vector of a B-RASP or S-RASP program, exactly, for every length.

Source      [SHA] Section 6 and Appendix E use such programs as hard-attention transformers; the constructions are ours
            (docs/reference/rasp.md, section 6).
Claim       At position i of every word the directions ``P(i)`` (truths as 0 and 1, integers) and ``P(i)='x'`` (1 where
            the vector P of symbols is x, else 0) hold the values of the program's vector P. Each head is uniform (its
            queries are 0) or has a unique greatest score at every i, for every word and every n.
Gap         At least 1/n: 1 for neighbours, products and squares, 1/i for counts, 1/n for attention with a score. So it
            is exactly 1/n or 1 in most programs; ``certify model`` computes it.
x_max       The largest embedding: n² if there is a neighbour, count, square (i^2 is embedded), else n if there is an
            integer (i), else 1 (i/n, the truths of symbols).
"""

from constructions.draft import ONE
from constructions.errors import Unsupported
from constructions.network.transformer import Transformer
from constructions.rasp.syntax import INPUT, POSITION, AttentionTerm, PrefixSum, RaspProgram, Type, Vector
from constructions.rasp_network.attention import Attending
from constructions.rasp_network.circuit import Circuit
from constructions.rasp_network.evaluation import Computed, Evaluator
from constructions.rasp_network.integers import Integer
from constructions.rasp_network.lookups import Lookups
from constructions.rasp_network.tables import Table, combine, identity
from constructions.rasp_network.trimming import trim


def compile_program(program: RaspProgram) -> Transformer:
    """Compile a program into a transformer, which has the program's output.

    If that output is a symbol, the transformer's output is its index in ``program.symbols``, from 0.

    Raises:
        Unsupported: with the definition and the reason.
    """
    compiler = _Compiler(program)
    for vector in program.vectors:
        try:
            compiler.add(vector)
        except Unsupported as reason:
            raise Unsupported(f"{vector.name}(i): {reason}") from None
    names = {f"{vector.name}(i)" for vector in program.vectors}
    transformer = compiler.finish()
    return trim(transformer, [name for name in transformer.directions if name.partition("=")[0] in names])


class _Vectors(dict[str, Computed]):
    """The vectors so far, at position i; positions are embedded on demand."""

    def __init__(self, circuit: Circuit) -> None:
        super().__init__({INPUT: identity((circuit.input, "i"))})
        self._circuit = circuit

    def __missing__(self, name: str) -> Computed:
        assert name == POSITION, "programs use only vectors defined above"
        return Integer({"i": {self._circuit.embed("i"): ONE}})


class _Compiler:
    """The vectors compiled so far, in their order."""

    def __init__(self, program: RaspProgram) -> None:
        self._program = program
        self._circuit = Circuit(program.alphabet)
        self._lookups = Lookups(self._circuit)
        self._functions = {function.name: function for function in program.functions}
        self._vectors = _Vectors(self._circuit)
        self._evaluator = Evaluator(self._circuit, self._lookups, self._functions,
                                    lambda name, place: self._vectors[name].at(place))

    def add(self, vector: Vector) -> None:
        """Compile one vector."""
        name = f"{vector.name}(i)"
        computed = self._compute(vector)
        if isinstance(computed, Table):
            variable = self._circuit.write_variable(computed.at("i"), name)
            self._vectors[vector.name] = identity((variable, "i"))
            return
        if computed.rows:
            self._circuit.write_row(self._circuit.row(computed, f"summand of {name}"), name)
        else:
            self._circuit.write_sum(computed.table, name)
        self._vectors[vector.name] = computed

    def _compute(self, vector: Vector) -> Computed:
        match vector.body:
            case AttentionTerm() as attention:
                return Attending(self._circuit, self._lookups, self._functions, self._vectors, vector.name,
                                 attention).compile()
            case PrefixSum(value):
                return self._evaluator.prefix_sum(self._evaluator.integer(value))
            case expression:
                return self._evaluator.value(expression, {})

    def finish(self) -> Transformer:
        """Return the transformer, whose output is the output of the program."""
        output = self._program.output
        name = f"{output.name}(i)"
        if output.type == Type.SYMBOL:
            held = self._vectors[output.name]
            assert isinstance(held, Table), "symbols have finitely many values"
            name = self._circuit.write_sum(combine(self._program.symbols.index, held), name)
        return self._circuit.draft.finish_at(name)
