"""Searches for graphs that a device gets wrong, and shrinks each to what a person would write.

A graph is asked as a case is: in packs, in child processes, with deaths, hangs and refusals as outcomes. It is judged
by the reference with bounds carried layer by layer. What departs is asked again: its layers alone, and with every
tensor a result, which tells a wrong layer from a wrong graph.
"""
