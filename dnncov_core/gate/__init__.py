"""May a build pass with what a campaign or a measurement covers? Nothing is imported here: pytest loads the plugin.

coverage has the counts that are judged, demands what is asked of them, and the verdicts; junit is a file of both,
required and pytest_plugin are the same for people's own tests.
"""
