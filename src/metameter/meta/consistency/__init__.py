"""Would other topics rank the systems alike? Split the topics in half, again and again, and compare the rankings."""
