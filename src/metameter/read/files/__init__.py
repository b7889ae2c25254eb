"""Files: their content, decompression, and how much they may unpack to."""
