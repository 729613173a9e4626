"""Work on a campaign. Read it in this order:

worker              claims a campaign, and works on it until it is done or told to stop
run                 one campaign from its start, or from where it was left, to its end
inputs              its network and its data
plan, seeds         its targets in batches, and the seeds that each of them tries
task                the search for test pairs, in this process
executors           the same by others: a pool, whose fork_server ends quietly, or a ray_cluster
judge, reuse        which of them count, and for which targets
baseline_searches   what baseline searches find with the same budgets
proofs              test conditions that no input can satisfy
"""
