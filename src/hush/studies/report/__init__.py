"""What is made of a study's data: claims tested, tables, figures, and the pages that show them."""
