"""What the pages are, how the suite reads them, and how much is asked of each."""
