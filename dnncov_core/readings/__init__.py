"""How a network reads its inputs and labels: what it expects, and which usual mistake explains a poor accuracy.

steps are what may have to be done to inputs, label_orders to labels; trials are what comes of them on a sample of the
data, rounds search for the best of them, check judges, and factory writes what mends a network as Python code or as the
TOML file beside a network's own, and mended_file as a network of its own.
"""
