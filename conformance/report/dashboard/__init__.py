"""The dashboard: one page of one or several runs, without anything from elsewhere, readable without script."""
