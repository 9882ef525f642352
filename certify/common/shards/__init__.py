"""Work in shards: the same results however many processes or machines take part, and finished shards kept on disk.

``run_tasks`` is the whole of it for those who have tasks; docs/howto/scale.md says what may be relied on.
"""

from certify.common.shards.answers import content, digest_of
from certify.common.shards.planning import plan_prefixes, prefixes, steps_per_word, steps_per_word_of_many
from certify.common.shards.progress import ShardsProgress, ShardsState
from certify.common.shards.running import run_tasks
from certify.common.shards.workers import Workers, read_workers
from constructions.errors import WorkLost

__all__ = [
    "ShardsProgress",
    "ShardsState",
    "WorkLost",
    "Workers",
    "content",
    "digest_of",
    "plan_prefixes",
    "prefixes",
    "read_workers",
    "run_tasks",
    "steps_per_word",
    "steps_per_word_of_many",
]
