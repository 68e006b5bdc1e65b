"""Where work on documents is done: in this process, on data larger than its memory, or on many machines."""
