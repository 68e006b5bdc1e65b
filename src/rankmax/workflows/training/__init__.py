"""Training of learners by name, in this process or another."""
