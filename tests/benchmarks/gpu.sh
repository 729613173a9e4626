#!/usr/bin/env bash
# Checks on a GPU against the CPU, then measurements on both; on a machine without a GPU, the same on its CPU alone.
# Arguments go to pytest: --network NAME, --data DATA, --rounds N. Reports lie in $OUT if that is set.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}
$python -c 'import torch; print(torch.__version__, torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU alone")'
$python -m pytest -n 0 -q tests/benchmarks/check_devices.py "$@"
$python -m pytest -n 0 -q tests/benchmarks/bench_ranking.py --benchmark-json "${OUT:-/tmp}/ranking.json" "$@"
