"""External series: numbers that accounts bring, refreshed and stored with their earlier values."""
