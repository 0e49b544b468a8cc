#!/usr/bin/env bash
# tests/bench/page.sh COMMIT [OPTION...]: measures everything and writes docs/performance.md and its pictures. The profiles
# named "before" are those of COMMIT's library. Options are those of tests/bench/run: --today DIR --ggml PROGRAM --onnxruntime
# FOLDER name the other sides; --rounds 1 --seconds 0.01 shows in some minutes how the page looks, with inaccurate numbers.
# PARTS='quiet profile' measures these parts alone; the page keeps what it says of the others. With --resume a run that was
# stopped goes on: what build/bench has is not measured again.
# Takes two hours on a machine that has nothing else to do, and needs what tests/bench/run needs, and linux-perf.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [[ ! ${1-} =~ ^[0-9a-f]{7,40}$ ]]; then
  sed -n '2,/^set/{s/^# \{0,1\}//p}' tests/bench/page.sh >&2
  exit 2
fi
commit=$1 out=build/bench
shift
mkdir -p $out
# The part of this name, if it is wanted: its results stay in a file of that name.
part() { [[ " ${PARTS-quiet single beside avx2 scaling kernels profile} " != *" $1 "* ]] || "${@:2}"; }
measure() { tests/bench/run --json "$out/$1.json" "${@:2}"; }
before() (
  [ -d $out/before ] || git clone -q --shared . $out/before
  cd $out/before
  git checkout -q --detach "$commit"
  cmake --preset release >/dev/null
  cmake --build --preset release --target bench_cases
)

best=(--no-shipped --ggml '' --onnxruntime '')  # Etude and each PyTorch at its best
two=("${best[@]}" --today '')                   # Etude and PyTorch 1.13.1 at its best alone
passes='both|sines|adamw|gpt.*step'             # the cases of whole passes
part quiet measure quiet "$@"
part single measure single "$passes" "$@" "${two[@]}" --threads 1
part beside measure beside "$passes" "$@" "${two[@]}" --beside
if grep -qw avx512f /proc/cpuinfo; then part avx2 measure avx2 "$passes" "$@" "${best[@]}" --avx2; fi
part scaling measure scaling --rounds 2 "$@" "${two[@]}" --cases tests/bench/scaling.json --threads 1,2
kernels=()
for ((i = 1, j = 2; i < $#; ++i, ++j)); do
  case ${!i} in --today | --rounds | --seconds) kernels+=("${!i}" "${!j}") ;; esac
done
part kernels python3 -B tests/bench/kernels.py "${kernels[@]}" --json $out/kernels.json
part profile before
part profile python3 -B tests/bench/profile.py $out/quiet.json $out/profile.json \
  before=$out/before/build/release/tests/bench_cases now=build/release/tests/bench_cases
python3 -B tests/bench/report.py $out
