"""What the product says about campaigns: every sentence that is made from a specification or from counts.

The functions take a specification, ratios and records, and give plain text, so that the command, the pages, figures and
exported files say one thing in one way.

Reading order: ``glossary`` -- the words and what they mean; ``numbers`` -- counts, distances and times; ``conditions``
-- features, and why a test condition is not covered; ``definitions`` -- the parts of a covering method; ``samples`` --
which feature pairs were asked about; ``coverage`` -- how many have a witness; ``adversarial`` -- what counts as
adversarial, and what baseline searches find; ``proofs``, ``budgets`` -- what was proved, and what was tried again;
``states`` -- how far a campaign is.
"""
