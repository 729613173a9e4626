"""Playground: the criteria on two inputs of the paper's example network."""
