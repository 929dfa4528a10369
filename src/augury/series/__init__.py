"""External series: numbers over time that accounts provide, stored with their earlier values."""
