"""The examples of every --help: commands that work as they are, in this order, in an empty folder."""

from collections.abc import Mapping

HELP_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "certify": (
        "certify formula '(Q_a | Q_b) since Q_a' --alphabet abc -o since.cert",
        "certify check since.cert",
        "certify list examples --copy examples",
    ),
    "formula": (
        "certify formula '(Q_a | Q_b) since Q_a' --alphabet abc -o since.cert",
        "certify formula --regex '(ab)*' --max-n 16",
        "certify formula -F examples/formulas.txt --max-n 16",
    ),
    "check": (
        "certify check since.cert --formula '(Q_a | Q_b) since Q_a' --max-n 64",
        "certify check scripts --crosscheck cvc5",
    ),
    "audit": (
        "certify audit --formula '(Q_a | Q_b) since Q_a' --alphabet abc --temperature 1/n --gamma 138/100 --max-n 6",
        "certify audit examples/claims/sha.toml --html sha.html",
    ),
    "build": ("certify build 'prev Q_1' --alphabet 01 -o model.json",),
    "model": (
        "certify model model.json --max-n 16",
        "certify model examples/published/parity.json --formula 'ODD(#<[Q_1])' --after '$' --max-n 16",
        "certify model examples/hard/flip_flop.json --max-n 4",
    ),
    "run": (
        "certify run '3*#<[Q_1] - #>[Q_0] >= 2' 01101 --alphabet 01",
        "certify run model.json 0110",
    ),
    "explain": ("certify explain 'ODD(#<[Q_1])' --alphabet 01",),
    "prove": ("certify prove 'ODD(#<[Q_1])' --alphabet 01 -o parity",),
    "sensitivity": ("certify sensitivity 'ODD(#<[Q_1])' --alphabet 01 --temperature 1 --max-n 6",),
    "cross-entropy": ("certify cross-entropy 'ODD(#<[Q_1])' --alphabet 01 --temperature 1 --max-n 6",),
    "floats": ("certify floats since.cert --format binary32",),
    "import": ("certify import examples/trained/tomita_2 --kind nanogpt --attention causal --heads 1 "
               "--activation gelu --epsilon 1e-5 -o tomita_2.json",),
    "decide": ("certify decide tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8",),
    "heads": (
        "certify heads tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8",
        "certify heads tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8 --offset 0 --head 1.1 --on "
        "letters --at-least 1%",
        "certify heads tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 4 --near uniform --prove",
    ),
    "ablate": (
        "certify ablate tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8 --offset 0",
        "certify ablate tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8 --offset 0 "
        "--neurons 1.1-50",
    ),
    "harden": (
        "certify harden tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8 --offset 0",
        "certify harden tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8 --offset 0 "
        "--pattern '1.1=leftmost Q_0'",
    ),
    "learn": (
        "certify learn tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8",
        "certify learn tomita_2.json --alphabet 01 --before 2 --at every --sign 0 --sign 1 --sign 3 --max-n 8",
    ),
    "equal": (
        "certify equal tomita_2.json tomita_2.json --claim examples/trained/tomita_2/claim.toml --max-n 8",
    ),
    "train": (
        "certify train last_letter_alone --max-n 6 --width 4 -o last",
        "certify train examples/trained/tomita_2/claim.toml --max-n 4 --from tomita_2.json -o two",
    ),
    "export": (
        "certify export since.cert --to html -o since.html",
        "certify export since.cert --to proof -o since.tex",
        "certify export since.cert --to smt2 -o scripts",
        "certify export since.cert --to card -o card.md",
        "certify export since.cert --to site -o site",
        "certify export --to checker -o check.pyz",
        "certify export --to certify-every-n -o every-n",
    ),
    "mcp": ("certify mcp --timeout 60",),
    "list": (
        "certify list examples --copy examples",
        "certify list guides models",
    ),
    "help": ("certify help formula", "certify help --all"),
}
COMPLETION = "certify --install-completion: completion of commands and options for your shell"
SOURCES = ("[SHA]   Yang, Strobl, Chiang, Angluin: Simulating Hard Attention Using Soft Attention",
           "[Hahn]  Hahn: Theoretical Limitations of Self-Attention in Neural Sequence Models")
"""The sources that help texts and messages name by letters in brackets."""


def epilog_of(name: str) -> str:
    """Return the text below the options: examples, unwrapped; for the front page, the sources."""
    if name == "certify":
        return "\n".join(["\b", *SOURCES, "", "\b", COMPLETION])
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in HELP_EXAMPLES[name])])
