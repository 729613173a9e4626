"""Campaigns: a specification (spec), the work that it means (estimate), its targets and seeds (plan), one file (store,
made of sql, turns, results and evidence), a worker (worker, run), who works on targets (task, pool) and what of it
counts (judge, reuse), what no input can cover (prove), the user's folder of campaigns (library), and the replay of what
is stored (verify)."""
