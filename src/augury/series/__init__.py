"""External series: numbers from outside, refreshed, kept with what they were before."""
