"""What is asked of a campaign after its work:

verification   whether each stored pair holds in the network
examination    one pair in the network: signs, values, and which part of the definition holds
replayed       what becomes of the test pairs on another network
other_network  asks that network
retry          what to try again, with larger budgets, or in a new file with another effect
"""
