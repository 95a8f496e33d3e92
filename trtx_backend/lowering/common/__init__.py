"""What several lowerings share."""
