"""What a declaration is written in: the words of a page, and the layers that they make."""
