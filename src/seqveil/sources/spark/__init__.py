"""Reading with Spark: rows are read, encoded and grouped in the executors, and stay there."""
