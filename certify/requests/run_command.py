"""The commands that run a network, with a place for the word, or ask about its parts: rendered once, where shown."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True)
class RunCommand:
    """`certify run` of a formula or a file, and the options that say which network it is.

    The subject may be what an option says that is ``beside`` it: ``--regex``.

    >>> print(RunCommand("Q_a since Q_b", ("--gamma", "2")).on("aab"))
    certify run 'Q_a since Q_b' aab --gamma 2
    """

    subject: str
    options: tuple[str, ...] = ()
    beside: str | None = None

    def on(self, word: str) -> str:
        """Return the command line for this word, quoted for a shell; arguments that look like options follow ``--``.

        >>> print(RunCommand("net.json").on("-+-"))
        certify run net.json -- -+-
        """
        subject = [self.subject] if self.beside is None else [self.beside, self.subject]
        if word.startswith("-"):
            return shlex.join(["certify", "run", *subject, *self.options, "--", word])
        if self.beside is None and self.subject.startswith("-"):
            return shlex.join(["certify", "run", *self.options, "--", self.subject, word])
        return shlex.join(["certify", "run", *subject, word, *self.options])


def part_command(name: str, model: str, claim: str | None, options: Sequence[str]) -> str:
    """Return the command line about parts of a trained network, quoted for a shell.

    >>> print(part_command("heads", "a net.json", "claim.toml", ["--head", "1.1"]))
    certify heads 'a net.json' --claim claim.toml --head 1.1
    """
    return shlex.join(["certify", name, model, *(["--claim", claim] if claim else []), *options])


def name_file_alone(command: str) -> str:
    """Return the command line with file paths replaced by their base names.

    For a formula it always gives the alphabet, for a model or a program never; an automaton follows ``--dfa``, the
    claim about a trained network ``--claim``. A text that is not a command line is returned unchanged.

    >>> print(name_file_alone("certify run '/data/me/two words.json' aab --gamma 2"))
    certify run 'two words.json' aab --gamma 2
    >>> print(name_file_alone("certify run --dfa ../even.hoa aab --alphabet ab"))
    certify run --dfa even.hoa aab --alphabet ab
    >>> print(name_file_alone("certify run ../net.json 01 --claim ../claim.toml --offset 3"))
    certify run net.json 01 --claim claim.toml --offset 3
    >>> print(name_file_alone("certify heads ../net.json --claim ../claim.toml --head 1.1"))
    certify heads net.json --claim claim.toml --head 1.1
    >>> print(name_file_alone("certify run '1/2*#<[Q_a] >= 1' aab --alphabet ab"))
    certify run '1/2*#<[Q_a] >= 1' aab --alphabet ab
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    place = 3 if words[2:3] == ["--dfa"] else 2
    is_about_a_file = words[:1] == ["certify"] and words[1:2] in (["run"], ["heads"], ["ablate"])
    if not is_about_a_file or len(words) <= place or (place == 2 and "--alphabet" in words):
        return command
    files = {place, words.index("--claim") + 1} if "--claim" in words[:-1] else {place}
    return shlex.join([PurePath(each).name if number in files else each for number, each in enumerate(words)])
