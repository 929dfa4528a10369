"""The PostgreSQL database, which Augury runs itself (embedded) or reaches by a URL: its supervisor,
connection pools, transactions, migrations and backups."""
