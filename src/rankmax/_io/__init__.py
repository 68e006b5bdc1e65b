"""Files, folders, signals and figures: everything that touches the operating system."""
