"""Cases written by hand from the specification's text alone, by someone who had not read the lowering.

Each module is a family of operators: `CASES` are valid graphs with the values that the specification's formula gives,
worked out by hand or in a few lines of plain Python; `REFUSED` are graphs that it says are a TypeError. Nothing here
uses numpy, the oracle or what the backend returned. `python -m tests.by_hand DIR` writes the case files.
"""
