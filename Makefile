# What one runs while working, and what .ci/run runs. `make` lists it; `make -s lint types architecture fast` before a
# commit. Everything runs in .venv, which README's last section makes.

help:          ## this list
	@sed -n 's/^\([a-z]*\): *## /\1\t/p' Makefile | expand -t 14

lint:          ## ruff; each ignored rule has its reason in pyproject.toml
	.venv/bin/ruff check .

types:         ## mypy, strict
	.venv/bin/mypy

architecture:  ## certify -> proofs -> constructions; proofs/check imports nothing of ours
	.venv/bin/lint-imports

fast:          ## the tests of a minute
	.venv/bin/python -m pytest -m "not slow"

tests:         ## everything but what is marked exhaustive
	.venv/bin/python -m pytest

exhaustive:    ## what runs before a release alone
	.venv/bin/python -m pytest -m exhaustive

of =
coverage:      ## lines and branches that the tests of a minute miss; of=tests/language for a part of them
	.venv/bin/python -m pytest -m "not slow" --cov --cov-report=term:skip-covered $(of)

coq:           ## the Coq library from nothing, coqchk, and its axioms
	.ci/check-coq-library

docs:          ## the files in docs/ that are written by scripts
	.venv/bin/python docs/write_statements.py
	.venv/bin/python docs/write_commands.py > docs/commands.md
	.venv/bin/python docs/write_editors.py
	.venv/bin/python docs/write_notebooks.py
	mkdir -p build
	.venv/bin/certify formula '#<[Q_1] > #<[Q_0]' --alphabet 01 -o build/ones.cert
	.venv/bin/python docs/draw_picture.py build/ones.cert > docs/picture.svg
	.venv/bin/python docs/draw_hahn.py > docs/hahn.svg

.PHONY: help lint types architecture fast tests exhaustive coverage coq docs
