"""Sparse operations: bags of embeddings, rows of sparse tensors."""
