"""External series: numbers over time that accounts bring, stored with their earlier values."""
