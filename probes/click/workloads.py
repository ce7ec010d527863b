"""Workloads of the click task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import zlib

WORDS = "amber basalt coral dune ember flint garnet heath islet jade kelp loam".split()


def checksum(texts):
    total = 1
    for text in texts:
        total = zlib.crc32(text.encode(), total)
    return total


class ParseLines:
    """One command with many kinds of options, run on many command lines."""

    id = "parse-lines"
    n = 120

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        lines = []
        for _ in range(size):
            words = ["--count", str(rng.randrange(100)), f"-n{rng.choice(WORDS)}", "-" + "v" * rng.randrange(1, 4)]
            words += ["--kind=" + rng.choice(WORDS[:4]), "--pos", str(rng.randrange(9)), str(rng.randrange(9) / 4)]
            for _ in range(rng.randrange(4)):
                words += ["--tag", rng.choice(WORDS)]
            words += rng.choice([["--loud"], ["--silent"], []]) + rng.sample(WORDS, rng.randrange(1, 5))
            lines.append(words)
        return lines

    def body(self, inputs):
        import click

        @click.command()
        @click.argument("names", nargs=-1)
        @click.argument("last")
        @click.option("--count", type=click.IntRange(0, 60, clamp=True))
        @click.option("--name", "-n", callback=lambda ctx, param, value: value.upper())
        @click.option("-v", count=True)
        @click.option("--kind", type=click.Choice(WORDS[:4]))
        @click.option("--pos", type=(int, float))
        @click.option("--tag", multiple=True)
        @click.option("--loud/--silent", default=None)
        @click.option("--other", default=3, envvar="WORKLOAD_OTHER")
        def tool(**values):
            return values

        return [tool.main(words, prog_name="tool", standalone_mode=False) for words in inputs]

    def digest(self, result):
        shown = [repr(sorted(values.items())) for values in result[:: max(1, len(result) // 30)]]
        return [len(result), sum(values["count"] for values in result), checksum(shown)]


class NestedGroups:
    """Groups in groups, with objects that go down, chains and results that go up."""

    id = "nested-groups"
    n = 100

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        runs = []
        for _ in range(size):
            words = ["--level", str(rng.randrange(9)), rng.choice(WORDS)]
            for _ in range(rng.randrange(1, 4)):
                words += rng.choice([["grow", "--by", str(rng.randrange(7))], ["name", rng.choice(WORDS)], ["shrink"]])
            runs.append(words)
        return runs

    def body(self, inputs):
        import click

        pass_list = click.make_pass_decorator(list)

        @click.group()
        @click.option("--level", default=1)
        @click.pass_context
        def cli(ctx, level):
            ctx.obj = [level]
            ctx.call_on_close(lambda: closed.append(level))

        def branch(word):
            @cli.group(word, chain=True)
            @pass_list
            def below(numbers):
                numbers.append(len(word))

            @below.result_callback()
            def joined(results):
                return "-".join(results)

            @below.command()
            @click.option("--by", default=1, type=int)
            @pass_list
            def grow(numbers, by):
                numbers.append(by)
                return f"{word}:{sum(numbers)}"

            @below.command()
            @click.argument("what")
            @click.pass_context
            def name(ctx, what):
                return f"{ctx.command_path}/{what}"

            @below.command()
            @click.pass_context
            def shrink(ctx):
                return ctx.invoke(grow, by=-1)

        for word in WORDS:
            branch(word)
        closed = []
        results = [cli.main(words, prog_name="cli", standalone_mode=False) for words in inputs]
        return results, closed

    def digest(self, result):
        results, closed = result
        return [len(results), checksum(results), sum(i * level for i, level in enumerate(closed, 1))]


class HelpPages:
    """Help pages of commands with long descriptions and many options."""

    id = "help-pages"
    n = 24

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        text = lambda count: " ".join(rng.choice(WORDS) for _ in range(count)) + "."
        return [
            {
                "help": "\n\n".join(text(rng.randrange(20, 60)) for _ in range(3)),
                "options": [[f"--{rng.choice(WORDS)}-{number}", text(rng.randrange(3, 16))] for number in range(12)],
                "width": rng.randrange(60, 100),
            }
            for _ in range(size)
        ]

    def body(self, inputs):
        import click
        from click.testing import CliRunner

        pages = []
        for page in inputs:
            command = click.Command("tool", callback=lambda **values: None, help=page["help"])
            for number, (name, text) in enumerate(page["options"]):
                kind = (int, float, str, click.IntRange(0, number + 1), click.Choice(WORDS[: number % 4 + 1]))[
                    number % 5
                ]
                click.option(name, type=kind, help=text, required=number % 3 == 0, show_default=True)(command)
            result = CliRunner().invoke(command, ["--help"], terminal_width=page["width"])
            pages.append([result.output, page["width"]])
        return pages

    def digest(self, result):
        wide = sum(max(map(len, page.splitlines())) > width for page, width in result[::8])
        return [len(result), wide, checksum(" ".join(page.split()) for page, _ in result[::2])]


class StyledLines:
    """Lines with styles, printed with and without them."""

    id = "styled-lines"
    n = 3200

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(len(WORDS) * 256 * 8) for _ in range(size)]

    def body(self, inputs):
        import io

        import click

        names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "bright_white"]
        plain, kept = io.StringIO(), io.StringIO()
        for drawn in inputs:
            word, number, colour = WORDS[drawn % len(WORDS)], drawn // len(WORDS) % 256, drawn // len(WORDS) // 256
            line = click.style(word, fg=names[colour], bold=number % 2 == 0) + click.style(" and ", bg=number)
            line += click.style(word, fg=(number, colour, 7), underline=True, reset=colour > 3)
            click.echo(line, file=plain)
            click.echo(line, file=kept, color=True)
        return plain.getvalue(), kept.getvalue(), click.unstyle(kept.getvalue())

    def digest(self, result):
        return [part for text in result for part in (len(text), checksum([text]))]


class LongCommandLine:
    """One command line with very many values of several types."""

    id = "long-command-line"
    n = 2500

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10**6) for _ in range(size)]

    def body(self, inputs):
        import click

        @click.command()
        @click.option("--pair", type=(int, str), multiple=True)
        @click.argument("numbers", nargs=-1, type=click.IntRange(min=0))
        def tool(pair, numbers):
            return len(numbers), sum(numbers), sum(number * len(word) for number, word in pair), len(pair)

        words = []
        for number in inputs:
            words += ["--pair", str(number), "x" * (number % 7), str(number * 3)]
        return tool.main(words, prog_name="tool", standalone_mode=False)

    def digest(self, result):
        return list(result)


class LongOutput:
    """A command that prints very much, run in this process, with its output kept."""

    id = "long-output"
    n = 7000
    holds_mib = 20

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return {"lines": size, "widths": [rng.randrange(40, 60) for _ in range(50)]}

    def body(self, inputs):
        import click
        from click.testing import CliRunner

        @click.command()
        @click.argument("count", type=int)
        @click.pass_obj
        def tool(widths, count):
            for number in range(count):
                word = WORDS[number % len(WORDS)]
                click.echo(f"{number} {word * widths[number % len(widths)]}", err=number % 4 == 0)

        result = CliRunner().invoke(tool, [str(inputs["lines"])], obj=inputs["widths"])
        return result.exit_code, result.output, result.stdout, result.stderr

    def digest(self, result):
        code, *texts = result
        return [code, *map(len, texts), checksum(text[-5000:] for text in texts)]


WORKLOADS = [ParseLines(), NestedGroups(), HelpPages(), StyledLines(), LongCommandLine(), LongOutput()]
