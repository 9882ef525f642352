"""Float models: their arithmetic on numbers of a format, and exponentials."""
