"""A metric along a line of weights: crossings, the kinetic top k, and the peak of the step function."""
