"""What stands in the tables of a store and how it is kept in step, in statements that every engine understands."""
