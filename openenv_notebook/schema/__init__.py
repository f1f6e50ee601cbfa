"""JSON Schema: read into a tree of shapes; held against values, sampled, made into models and moves."""
