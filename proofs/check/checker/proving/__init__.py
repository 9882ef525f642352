"""Proving: every obligation of docs/certificate.md, a file for each chapter, each rule with its proof beside it."""
