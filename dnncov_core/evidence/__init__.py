"""A pack of evidence that a stranger checks without this program. Reading order:

``claims`` -- what is claimed, each with its number, its denominator and the rows that it rests on; ``definitions`` --
what criteria, labels and distances mean; ``tables``, ``suite_tables`` -- test conditions and test pairs of campaigns
and of measurements; ``sources`` -- a campaign or a measurement with all of these; ``model`` -- the network as an ONNX
file; ``verify`` -- the program in the pack that computes everything again, and uses nothing of this one; ``statement``
-- digests and signature.

``document`` -- a report as blocks; ``parts``, ``campaign_part``, ``gap_part``, ``measurement_part``, ``commands`` --
what it says, beside the Markdown files here; ``argument``, ``argument_picture`` -- what the claims support; ``report``
-- all of that together; ``page``, ``pdf`` -- its files.

``pack`` -- the files of a pack, in one ZIP file; ``library`` -- the packs that the app makes.
"""
