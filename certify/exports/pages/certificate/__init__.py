"""The page of a certificate: `certify export --to html`."""
