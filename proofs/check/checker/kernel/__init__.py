"""Modules that every chapter builds on; ../../README.md has an overview."""
