"""Lines of TREC: columns without names, with white space between them."""
