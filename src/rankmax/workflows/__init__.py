"""The jobs that the command line and other front ends offer, from files to results."""
