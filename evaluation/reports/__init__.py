"""Reports of a job: one document object, one way to its rows, one writer a file format."""
