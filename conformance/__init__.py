"""The conformance harness: WebNN cases as data, run case by case on a target, judged by WPT's own tolerances."""
