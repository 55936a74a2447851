"""SQLite storage engine: one database file, with arrays for reading held in memory."""
