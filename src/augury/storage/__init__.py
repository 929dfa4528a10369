"""PostgreSQL, embedded or by URL: supervisor, pools, migrations, unit of work, backups."""
