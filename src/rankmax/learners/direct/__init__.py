"""Direct maximization of a rank metric by repeated exact line searches."""
