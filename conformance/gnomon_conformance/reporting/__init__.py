"""What came of each test, and the report that is made of it."""
