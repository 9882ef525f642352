"""A formula and a network along words: truths, classes of words, replays."""
