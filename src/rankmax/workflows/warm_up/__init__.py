"""Compilation of all kernels before they are needed: for a checkout, an image, the wheel."""
