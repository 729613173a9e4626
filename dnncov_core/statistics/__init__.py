"""From a campaign's records to tables: plain numbers that figures, pages and exports share, so they cannot disagree.

Reading order: ``grouping`` -- by layer pair or by decision layer; ``coverage``, ``adversarial``, ``distances`` -- the
tables of one campaign; ``gaps`` -- what is not covered, and why; ``omegas`` -- distances of several campaigns by the
size of their features; ``samples`` -- what a random sample says of all; ``suite_and_tests`` -- a suite and the tests
for what it leaves open; ``replayed`` -- test pairs on another network; ``settings`` -- what campaigns were asked, in
words; ``differences``, ``main_table``, ``layerwise``, ``top_weights`` -- several campaigns beside each other.
"""
