"""What all pages have in common: style, policy, script, and figures as SVG."""
