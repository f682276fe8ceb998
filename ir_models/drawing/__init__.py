"""Graphs to ask: chains, pairs, rows and crossings of operations, drawn by their declarations."""
