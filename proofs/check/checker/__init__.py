"""The trusted package: standard library only, relative imports only, no circle. README.md beside it is the way in."""
