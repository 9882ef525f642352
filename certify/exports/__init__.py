"""What a certificate becomes for other tools: scripts for solvers, tables for papers, arrays for programs."""
