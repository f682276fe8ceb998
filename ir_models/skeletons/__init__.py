"""Starts an operation from its specification page: the skeletons of its declaration and of its reference."""

from ir_models.skeletons.pages import Page, PageError, read
from ir_models.skeletons.writing import Skeleton, skeleton

__all__ = ["Page", "PageError", "Skeleton", "read", "skeleton"]
