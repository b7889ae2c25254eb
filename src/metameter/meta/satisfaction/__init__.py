"""How well metrics agree with how satisfied people say they are with a page of results."""
