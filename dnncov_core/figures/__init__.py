"""Figures: each draws one table of `dnncov_core.statistics`, all in one style (`style`, `axes`).

A ``plot_`` function takes the table that it draws and ``source``, the second line of the title: network, criterion and
campaign, or what a comparison says of its campaigns. With ``log`` the distance axis is logarithmic, ``chosen`` names
the campaigns that are drawn (the first ones if empty), and with ``paper`` the paper's numbers stand beside.

Reading order:

``coverage``, ``adversarial``, ``distances``, ``gaps`` -- Plotly figures of campaigns, of measurements too;
``replayed`` -- the test pairs of one on another network;
``main_table``, ``layerwise``, ``top_weights``, ``programmes`` -- several campaigns beside each other; ``methods`` --
the four covering methods as pictures; ``lemmas`` -- the diagram of criteria; ``neurons``, ``plane`` -- two inputs of
a small network; ``pictures`` -- inputs as images.
"""
