"""One file a target: `make` draws an input, `hold` asserts what must hold of it. See README.md."""
