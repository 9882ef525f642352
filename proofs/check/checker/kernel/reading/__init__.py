"""Reading: bytes to one JSON value in its one spelling, and from there to frozen records. Nothing is proved here."""
