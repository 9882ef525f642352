"""Symbols of several tokens in affine forms: docs/background/floats_rules.md, section 7, Shared symbols."""

from ....kernel.budget import Budget
from ..zonotopes.affine import AffineForm, promoted
from ..zonotopes.packed_integers import pack_short, unpack

KEPT, FEW = 64, 16  # symbols of a token's own that are kept apart, and how many are tried first


def placed(budget: Budget, x: AffineForm, start: int, base: int, most: int) -> AffineForm:
    """Return a form whose symbols from slot ``start`` on are others from slot ``base`` on: ``most``, and merged ones.

    Proof. Symbols that no other form has may be renamed. Those that are merged are, in each coordinate, at most the sum
    of the absolute values of their generators: a radius, which gets a symbol of its own.
    """
    budget.spend(1 + (len(x.rows) * (20 + x.slots) >> 3))
    slots = [unpack(row, x.slots) for row in x.rows]
    own = [one[start:] for one in slots]
    totals = {k: total for k, column in enumerate(zip(*own, strict=True)) if (total := sum(map(abs, column)))}
    kept = sorted(totals, key=totals.__getitem__, reverse=True)[:most]
    largest = [[one[k] for k in kept] for one in own]
    rows = [pack_short([*one[:start], *[0] * (base - start), *some]) for one, some in zip(slots, largest, strict=True)]
    radii = [r + sum(map(abs, a)) - sum(map(abs, b)) for r, a, b in zip(x.radii, own, largest, strict=True)]
    return promoted(AffineForm(rows, base + len(kept), radii, x.sizes, fresh=True))


def continued(form: AffineForm, slots: int) -> AffineForm:
    """Return the form, whose further symbols begin at slot ``slots`` or later."""
    return form._replace(slots=max(slots, form.slots))
