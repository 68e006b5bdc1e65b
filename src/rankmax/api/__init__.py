"""The verbs as functions, each equivalent to the command of the same name."""
