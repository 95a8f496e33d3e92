"""Fuzzing: graphs drawn at random, valid ones judged operator by operator, broken ones that must be refused."""
