"""Campaigns: a specification (spec), its targets and seeds (plan), one file (store, made of sql, turns and results), a
worker (worker, run), the user's folder of them (library), and the replay of what is stored (verify)."""
