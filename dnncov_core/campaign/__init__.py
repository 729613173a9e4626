"""Campaigns: a specification (spec) and budgets raised later (budgets, retry), the work that it means (estimate), its
targets and seeds (plan), one file (store, made of sql, turns, results, conditions and evidence), a worker (worker,
run), who works on targets (task, pool) and what of it counts (judge, reuse), what no input can cover (prove) and what
somebody says of it (justify), the user's folder of campaigns with the workers of the app (library), and the replay of
what is stored (verify)."""
