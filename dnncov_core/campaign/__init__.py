"""Campaigns: a specification (spec), the work that it means (estimate), its targets and seeds (plan), one file (store,
made of sql, turns and results), a worker (worker, run), who works on targets (task, pool) and what of it counts (judge,
reuse), the user's folder of campaigns (library), and the replay of what is stored (verify)."""
