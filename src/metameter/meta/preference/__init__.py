"""How well metrics agree with which of two pages of results people prefer."""
