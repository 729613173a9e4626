"""The paper's example network and two inputs of it, to be moved and looked at. Reading order:

``setting`` -- two inputs, a covering method and a feature pair, and the paper's four; ``address`` -- a setting as text,
so that it can be shared; ``plain_network`` -- the network, without PyTorch; ``two_inputs`` -- every neuron for both
inputs, and what they cover; ``effect`` -- with which effect; ``network_view`` -- all of it for a setting; ``regions``
-- the plane of inputs, divided by sign patterns; ``names`` -- how neurons and numbers are written.
"""
