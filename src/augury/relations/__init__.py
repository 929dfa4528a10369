"""Relations: what drives a question, what follows from it, what moves with it, and why."""
