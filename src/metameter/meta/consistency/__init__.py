"""Would other topics rank the systems alike? Split the topics into halves many times and compare the rankings."""
