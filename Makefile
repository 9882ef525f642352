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

docs:          ## the book: docs/ and the docstrings as pages in build/docs, with a search, offline
	.venv/bin/python -m sphinx -W --keep-going -q -b html -d build/doctrees docs build/docs

release:       ## the wheel and the checker in dist/, and their SHA-256
	rm -rf dist
	.venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation -w dist .
	.venv/bin/certify export --to checker -o dist/check.pyz
	cd dist && sha256sum *.whl check.pyz | tee SHA256SUMS

pages:         ## the files in docs/ and examples/ that are written by scripts
	.venv/bin/python docs/tools/write_statements.py
	.venv/bin/python docs/tools/write_commands.py > docs/reference/commands.md
	.venv/bin/python docs/tools/write_editors.py
	.venv/bin/python docs/tools/write_notebooks.py
	.venv/bin/python -m examples.adders.board --write-only
	.venv/bin/python -m examples.trained.table --write-only
	mkdir -p build
	.venv/bin/certify formula '#<[Q_1] > #<[Q_0]' --alphabet 01 -o build/ones.cert
	.venv/bin/python docs/tools/draw_picture.py build/ones.cert > docs/picture.svg
	.venv/bin/python docs/tools/draw_hahn.py > docs/background/hahn.svg

.PHONY: help lint types architecture fast tests exhaustive coverage coq docs release pages
