"""Operations on element types and strings."""
