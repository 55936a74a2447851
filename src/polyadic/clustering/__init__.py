"""Cluster vectors by Gaussian mixtures with soft membership."""
