"""Campaigns: one generation run each. Read them in this order:

spec       what is asked of a campaign, and its check
budgets    those that were raised after it had begun
estimate   the work that it means
file       the campaign file: its tables, and what it answers
work       who works on it: plan, search, baseline searches, proofs
review     what is asked of it afterwards: whether its pairs hold, why, and what to try again
library    the user's folder of campaigns, and the workers that the app starts
"""
