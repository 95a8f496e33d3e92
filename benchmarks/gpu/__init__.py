"""What there is to find out with a GPU at hand: make gpu-check."""
