"""Layers by family. Each file has the layers' classes, with what they infer and refuse, and a class whose methods add them
to a network."""
