"""What writes the pages in docs that are made by computing; not part of the package."""
