"""Corpora and reports against their published schemas, and cases against the graph builder, without running them."""
