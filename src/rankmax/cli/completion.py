"""`rankmax completion`: shell completion."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      rankmax completion bash >> ~/.bashrc
      rankmax completion zsh >> ~/.zshrc
      rankmax completion fish > ~/.config/fish/completions/rankmax.fish
    """
    from click.shell_completion import get_completion_class

    completer = get_completion_class(shell)
    if completer is None:
        raise click.ClickException(f"no completion for {shell}")
    click.echo(completer(ctx.find_root().command, {}, "rankmax", "_RANKMAX_COMPLETE").source())
