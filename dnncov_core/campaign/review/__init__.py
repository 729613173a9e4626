"""What is asked of a campaign after its work: whether its pairs hold, why, and what to try again."""
