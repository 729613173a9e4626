"""Campaigns: a specification (spec), its targets and seeds (plan), one file (store), a worker (worker, run), the
user's folder of them (library), and the replay of what is stored (verify)."""
