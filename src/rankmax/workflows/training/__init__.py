"""Learners by name, trained here or in a process of their own."""
