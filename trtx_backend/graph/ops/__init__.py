"""One file a section of the specification, named after it; each states the output rule of its operators."""
