"""The common parts of all pages: style, policy, script, and figures as SVG."""
