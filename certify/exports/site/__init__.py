"""`certify export --to site`: static pages that load nothing from elsewhere, with the checker in one of them."""
