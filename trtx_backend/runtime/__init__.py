"""What runs a compiled graph."""
