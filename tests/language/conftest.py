"""The first formula of a process builds the grammar's tables, so a deadline per example would fail now and then."""

from hypothesis import settings

settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")
