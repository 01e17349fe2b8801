"""What scripts/bench-page.py makes its pages of."""
