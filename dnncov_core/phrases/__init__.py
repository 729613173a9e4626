"""What the product says about campaigns: every sentence that is made from a specification or from counts.

The functions take a specification, ratios and records, and give plain text, so that the command, the pages, figures and
exported files say one thing in one way.

Reading order: ``glossary`` -- the words and what they mean; ``numbers`` -- counts, distances and times; ``conditions``
-- features, why a test condition is not covered, and which were tried again; ``definitions`` -- the parts of a covering
method; ``coverage`` -- which feature pairs were asked about, and how many have a witness; ``adversarial`` -- what is
adversarial, and what baseline searches find; ``proofs`` -- what was proved; ``states`` -- how far a campaign is.
"""
