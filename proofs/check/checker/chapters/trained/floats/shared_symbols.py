"""Symbols of several tokens in affine forms: docs/background/floats_rules.md, section 7, Shared symbols."""

from ....kernel.budget import Budget
from ..zonotopes.affine import AffineForm, promoted
from ..zonotopes.packed_integers import pack_short, unpack

KEPT = 64  # symbols of a token's own that are kept apart


def placed(budget: Budget, x: AffineForm, start: int, base: int) -> AffineForm:
    """Return a form whose symbols from slot ``start`` on are others from slot ``base`` on, the smallest of them merged.

    Proof. Symbols that no other form has may be renamed. Those that are merged are, in each coordinate, at most the sum
    of the absolute values of their generators: a radius, which gets a symbol of its own.
    """
    budget.spend(1 + (len(x.rows) * (20 + x.slots) >> 3))
    slots = [unpack(row, x.slots) for row in x.rows]
    totals = {k: total for k in range(start, x.slots) if (total := sum(abs(one[k]) for one in slots))}
    largest = sorted(totals, key=totals.__getitem__, reverse=True)
    kept, merged = largest[:KEPT], largest[KEPT:]
    rows = [pack_short([*one[:start], *[0] * (base - start), *(one[k] for k in kept)]) for one in slots]
    radii = [radius + sum(abs(one[k]) for k in merged) for one, radius in zip(slots, x.radii, strict=True)]
    return promoted(AffineForm(rows, base + len(kept), radii, x.sizes, fresh=True))


def continued(form: AffineForm, slots: int) -> AffineForm:
    """Return the form, whose further symbols begin at slot ``slots`` or later."""
    return form._replace(slots=max(slots, form.slots))
