"""Campaigns: one generation run each. Read them in this order:

parameters   what may be asked of a campaign, a row a parameter (parameter_kinds: what such rows can be)
spec         what is asked of one, checked as a whole
batch        how many test conditions are searched for together
estimate     the work that it means, by the speed of earlier campaigns (speed) or of a short run (trial)
file         the campaign file: `store` opens it, and each of its parts answers for one subject
work         who works on it: plan, seeds, search, baseline searches, proofs
review       what is asked of it afterwards: whether its pairs hold, why, and what to try again
library      the user's folder of campaigns, and the workers that the app starts
"""
