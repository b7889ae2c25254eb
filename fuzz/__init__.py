"""A campaign of random inputs: whatever comes in, it is read or refused in one line. See README.md."""
