"""What a market says about a question: named features, and a judge trained on judged pairs."""
