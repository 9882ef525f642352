"""What every chapter stands on; ../../README.md is the way in."""
