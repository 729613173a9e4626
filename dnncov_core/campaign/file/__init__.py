"""The campaign file: its tables, the database that holds them, and what it answers."""
