"""Looks at one failing case: `show` it, find where it goes wrong (`bisect`), make it small (`shrink`)."""
