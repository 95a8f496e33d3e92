"""WebNN on TensorRT for RTX."""
