"""Files of markets and prices that an operator sends by HTTP: taken in parts, read by a worker."""
