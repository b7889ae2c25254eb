"""The pages that are made from the code as a whole."""
