"""The one renderer of tables: what it leaves out it names, what is too wide stands in blocks, and nothing is markup."""

import io

from rich.console import Console

from certify.common.terminal_tables import TableColumn, numbers, plain, print_table

COLUMNS = (TableColumn("n", "right"), TableColumn("word", needs=60), TableColumn("where", folds=True))


def printed(width: int, *arguments: object, **options: object) -> list[str]:
    out = Console(file=io.StringIO(), width=width, soft_wrap=True)
    print_table(out, *arguments, **options)  # type: ignore[arg-type]  # as the test says
    return [line.rstrip() for line in out.file.getvalue().splitlines()]  # type: ignore[attr-defined]  # a StringIO


def test_a_row_is_a_sequence_or_says_the_names_of_its_columns() -> None:
    expected = ["n  word  where", "1  ab    here", "2"]
    assert printed(80, COLUMNS, [("1", "ab", plain("here")), ("2", "", "")]) == expected
    assert printed(80, COLUMNS, [{"where": "here", "word": "ab", "n": "1"}, {"n": "2", "other": "x"}]) == expected


def test_what_is_left_out_for_lack_of_room_is_named_and_what_is_empty_is_not() -> None:
    rows = [("1", "ab", "here")]
    assert printed(59, COLUMNS, rows)[:2] == ["n  where", "1  here"]
    assert " ".join(printed(59, COLUMNS, rows)[2:]).endswith("lack of room (COLUMNS=132 or --json has them): word")
    assert printed(59, COLUMNS, [("1", "", "here")], without_empty=True) == ["n  where", "1  here"]


def test_a_table_that_is_too_wide_stands_in_blocks_with_its_keys_again() -> None:
    rows = [("1", "a" * 12, "b" * 12, "c" * 12)]
    assert printed(30, numbers("n", "x", "y", "z"), rows, titles=False) == [
        f"1  {'a' * 12}  {'b' * 12}", "", f"1  {'c' * 12}"]


def test_letters_in_brackets_are_no_markup() -> None:
    assert printed(80, [TableColumn("[b]"), TableColumn("[/]")], [("[red]", "[b]")]) == ["[b]    [/]", "[red]  [b]"]
