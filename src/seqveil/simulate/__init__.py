"""Made-up data for demonstrations and tests: nobody's, reproducible, and free to show."""
