"""Starts an operation from its specification page: the skeletons of its declaration and of its reference."""

from ir_models.skeletons.drafts import Skeleton, skeleton
from ir_models.skeletons.pages import Page, PageError, read

__all__ = ["Page", "PageError", "Skeleton", "read", "skeleton"]
