"""Reports of a run, for programs and for people."""
