"""Work on a campaign: its plan, its search for test pairs, its baseline searches and its proofs."""
