"""`certify site`: a folder of static pages that loads nothing from elsewhere, with the checker in one of them."""
