"""Loads the conformance plugin, which does nothing unless --wpt-target is given."""

pytest_plugins = ["conformance.plugin"]
