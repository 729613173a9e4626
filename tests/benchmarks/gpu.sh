#!/usr/bin/env bash
# Checks on a GPU against the CPU, then measurements on both, in under 8 minutes; without a GPU, the same on the CPU.
# Arguments go to pytest: --network NAME, --data DATA, --rounds N for linear programming; what gradient search is measured
# on is in $GRADIENT ("NETWORK DATA ..."). Reports lie in $OUT if that is set.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}
out=${OUT:-/tmp}
run() { $python -m pytest -n 0 -q -s "$@"; }
$python -c 'import torch; print(torch.__version__, torch.cuda.get_device_name() if torch.cuda.is_available() else "CPU alone")'
run tests/benchmarks/check_devices.py "$@"
run tests/benchmarks/bench_ranking.py --benchmark-json "$out/ranking.json" "$@"
run tests/benchmarks/bench_linear_programmes.py -k together --benchmark-json "$out/programmes.json" "$@"
set -- ${GRADIENT:-cifar10-cnn cifar10-sample}
while (($# > 1)); do
  run tests/benchmarks/check_gradient.py --network "$1" --data "$2"
  run tests/benchmarks/bench_gradient.py --network "$1" --data "$2" --rounds 5 --benchmark-json "$out/gradient-${1//[^a-z0-9]/-}.json"
  shift 2
done
