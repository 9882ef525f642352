"""The kinds of claims that ``kind`` may name."""

from collections.abc import Mapping

from certify.auditing.kinds import cross_entropy, decide, floats, margin, prove, resources, sensitivity, soften
from certify.auditing.kinds.kind import ClaimKind

KINDS: Mapping[str, ClaimKind] = {module.KIND.name: module.KIND for module in (
    margin, sensitivity, cross_entropy, soften, decide, floats, prove, resources)}
