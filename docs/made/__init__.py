"""The pages that are made from the code as a whole, as far as they are about the program itself."""
