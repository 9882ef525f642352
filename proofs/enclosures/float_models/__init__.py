"""What a run in floating point may do: classes of runs, their arithmetic on numbers of a format, and exponentials."""
