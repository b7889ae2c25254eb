"""Help texts: as those of click, and arguments have theirs, too."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["Argument", "Command"]


class Argument(click.Argument):
    """What is given by position, with a help text of its own."""

    def __init__(self, *names: Any, text: str, **options: Any) -> None:
        super().__init__(*names, **options)
        self.text = text

    def make_metavar(self, ctx: click.Context | None = None) -> str:
        """How it stands in the first line: in brackets where it may be left out."""
        name = self.metavar or self.human_readable_name
        return name if self.required else f"[{name}]"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Its line in the list of arguments."""
        return self.metavar or self.human_readable_name, self.text


class Command(click.Command):
    """A command whose help has a list of arguments above that of options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both lists."""
        for title, kind in (("Arguments", Argument), ("Options", click.Option)):
            of_kind = (each.get_help_record(ctx) for each in self.get_params(ctx) if isinstance(each, kind))
            if lines := [line for line in of_kind if line is not None]:
                with formatter.section(title):
                    formatter.write_dl(lines)
