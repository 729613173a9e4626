"""Examples: a campaign's test pairs, as a gallery and one by one.

pair      one test pair: its inputs, verdicts and distances, and why it covers
verdicts  what file and network say of it
signs     the signs of its layers before and after
network   the campaign's network, loaded once
"""
