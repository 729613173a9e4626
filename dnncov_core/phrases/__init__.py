"""What the product says about campaigns in more than one place, so that it says one thing in one way.

The functions take a specification, ratios and records, and give plain text for the command, the pages, figures and
exported files. Sentences that need tables or measurements are where these can be imported: captions in
`dnncov_core/export/captions.py` and `dnncov_core/export/comparison_captions.py`, where numbers come from in
`dnncov_core/export/provenance.py`, titles of campaigns in `dnncov_core/statistics/settings.py`, and what is said about
measurements in `dnncov_core/suites/remarks.py`.

Reading order: ``glossary`` -- the words and what they mean; ``numbers`` -- counts, distances, times and fingerprints;
``caption`` -- the two parts of a caption; ``conditions`` -- features, why a test condition is not covered, and which
were tried again; ``definitions`` -- the parts of a covering method; ``inputs`` -- the range of inputs; ``coverage`` --
which feature pairs are asked about, and how many have a witness; ``pairs`` -- labels and difference of a test pair;
``adversarial`` -- what is adversarial, and what baseline searches find; ``replayed`` -- test pairs on another network;
``proofs`` -- what was proved; ``states`` -- how far a campaign is; ``together`` -- how many test conditions are
searched for together; ``origins`` -- where networks and data come from.
"""
