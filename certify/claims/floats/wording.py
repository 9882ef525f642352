"""A float model in words, field by field, as tables show it."""

from itertools import groupby

from proofs.enclosures.float_models.model import FORMAT_FIELDS, FURTHER, ExpBase, FloatModel, Normalised

NORMALISED = {Normalised.BEFORE: "before the weighted sum", Normalised.AFTER: "after it",
              Normalised.EITHER: "before or after the weighted sum"}
BASES = {ExpBase.E: "base e", ExpBase.TWO: "base 2", ExpBase.EITHER: "base e or 2"}


def describe_formats(float_model: FloatModel) -> str:
    """Describe the formats of the operations.

    >>> from proofs.enclosures.float_models.model import presets
    >>> describe_formats(presets()["binary32"])
    'all binary32'
    >>> print(describe_formats(presets()["flash"]).replace("; ", chr(10)))
    storage, inputs bfloat16
    sums, scores, softmax binary32
    weights bfloat16
    RMS norms may be stored before their gain
    variances may be merged from parts
    >>> from dataclasses import replace
    >>> describe_formats(replace(presets()["tf32/tensor-cores"], also=()))
    'storage binary32; inputs tf32; sums, scores, softmax binary32; weights tf32; truncated sums, within 2 u'
    """
    cut_off = f"; truncated sums, within {float_model.sum_ulp} u" if float_model.sum_ulp > 1 else ""
    cut_off += "".join(f"; {FURTHER[name]}" for name in float_model.also)
    groups = [(name, list(fields)) for name, fields in
              groupby(FORMAT_FIELDS, key=lambda field: str(getattr(float_model, field)))]
    if len(groups) == 1:
        return f"all {groups[0][0]}{cut_off}"
    return "; ".join(f"{', '.join(fields)} {name}" for name, fields in groups) + cut_off


def describe_normalised(float_model: FloatModel) -> str:
    """Describe when weights are divided by their sum."""
    return NORMALISED[float_model.normalised]


def describe_exponentials(float_model: FloatModel) -> str:
    """Describe the error of exponentials, their base, and the rescaling of partial sums.

    >>> from proofs.enclosures.float_models.model import presets
    >>> describe_exponentials(presets()["binary32"])
    'within 4 ulp, base e or 2'
    """
    rescaled = f", rescaled after blocks of {float_model.block}" if float_model.block else ""
    return f"within {float_model.exp_ulp} ulp, {BASES[float_model.exp_base]}{rescaled}"
