"""One file a section of the WebNN specification, of the same name as in graph/ops."""
