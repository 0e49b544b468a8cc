#!/usr/bin/env bash
# tests/bench/page.sh COMMIT [OPTION...]: measures everything and writes docs/performance.md and its pictures. The profiles
# before are of COMMIT's library. Options are those of tests/bench/run: --ggml PROGRAM --onnxruntime FOLDER name what else
# it is compared with; --rounds 1 --seconds 0.01 shows in some minutes how the page looks, with numbers that say little.
# Takes an hour and a half on a machine that has nothing else to do, and needs what tests/bench/run needs, and linux-perf.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [[ ! ${1-} =~ ^[0-9a-f]{7,40}$ ]]; then
  sed -n '2,/^set/{s/^# \{0,1\}//p}' tests/bench/page.sh >&2
  exit 2
fi
commit=$1 out=build/bench
shift
mkdir -p $out
[ -d $out/before ] || git clone -q --shared . $out/before
(
  cd $out/before
  git checkout -q --detach "$commit"
  cmake --preset release >/dev/null
  cmake --build --preset release --target bench_cases
)

tests/bench/run --json $out/quiet.json "$@"
two=(--no-shipped --ggml '' --onnxruntime '')  # Etude and PyTorch at its best alone
tests/bench/run --json $out/single.json "$@" "${two[@]}" --threads 1
tests/bench/run --json $out/beside.json "$@" "${two[@]}" --beside
tests/bench/run --json $out/scaling.json --rounds 2 "$@" "${two[@]}" --cases tests/bench/scaling.json --threads 1,2
python3 -B tests/bench/profile.py $out/quiet.json $out/profile.json \
  before=$out/before/build/release/tests/bench_cases now=build/release/tests/bench_cases
python3 -B tests/bench/report.py $out
