"""Cases of our own, written down compactly; expected values come from the oracle. `python -m conformance.house` writes
them to wpt_data/house."""
