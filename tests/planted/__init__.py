"""Planted pairs: devices that are wrong only where two factors meet, which the cases of the operation must catch.

``factors`` says what can meet, ``defects`` draws pairs of them, ``device`` answers with our references but for one
defect, ``trial`` judges every case of the operation in this process, ``table`` prints what was caught and named.
``python -m tests.planted --help`` tells how to run it. ``crossings`` and ``crossing_trial`` do so for
each kind of crossing.
"""
