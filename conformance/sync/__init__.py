"""Upstream's tests, which are JavaScript, into the case files of a corpus. Upstream's text is not trusted: it is evaluated
by an engine without files or network, in a process of its own whose time and memory are bounded."""
