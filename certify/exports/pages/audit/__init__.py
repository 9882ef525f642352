"""The page of an audit: claims with their verdicts, plots and tables."""
