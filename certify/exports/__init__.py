"""Exports of certificates for other tools: scripts for solvers, tables for papers, arrays for programs."""
