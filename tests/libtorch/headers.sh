#!/usr/bin/env bash
# tests/libtorch/headers.sh BUILD: checks the headers of framework/cmake/libtorch_headers.txt, as the build folder has them. One program
# includes all that are forwarded, as C++17, C++20 and C++23, with g++ and clang++ where they are installed. A header that is refused gives
# one error, which names it.
# tests/libtorch/headers.sh BUILD LIBTORCH: the same, and compares the list with an include folder of LibTorch. The list has every header of
# its C++ API and those of the functions that Etude has, and none that does not exist. LibTorch's headers of single ops that are not in the
# list, of which one in fifty is tried, end in an error of Etude.
set -euo pipefail
export LC_ALL=C
build=$(realpath "$1")
libtorch=${2-}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "tests/libtorch/headers.sh: $*" >&2; exit 1; }

# Lines of: kind, header, and a star if only LibTorch 2.14 has it.
awk '/^[^ #]/ { kind = $1; sub(":", "", kind) }
     /^  / { folder = $1; sub(":$", "/", folder)
             for (i = 2; i <= NF; ++i) { star = sub("[*]$", "", $i); print kind, folder $i ($i ~ /[.]/ ? "" : ".h"), star ? "*" : "" } }' \
  framework/cmake/libtorch_headers.txt >"$work/list"
twice=$(cut -d' ' -f2 "$work/list" | sort | uniq -d)
[ -z "$twice" ] || fail "twice in the list: $twice"
of_kind() { sed -nE "s/^($1) ([^ ]*).*/\2/p" "$work/list"; }
in_api() { grep '^torch/' | grep -vE '^torch/(csrc|headeronly)/' | sed 's|^|torch/csrc/api/include/|'; }

include="-I$PWD/framework -I$PWD/framework/extras -I$PWD/layers -I$PWD/framework/libtorch -I$build/libtorch ${libtorch:+-idirafter $libtorch}"
export include

# Says what is wrong with headers that have to be refused. The first error must be Etude's, and must name the header if it is in the list.
# No other error may come, except that of the include that stops the compiler.
faults() {
  local header named errors
  for header; do
    named=$(grep -oxF "${header#torch/csrc/api/include/}" "$work/names" || true)
    # shellcheck disable=SC2086
    errors=$(echo "#include <$header>" | "${CXX:-c++}" -std=c++17 -E -x c++ $include - 2>&1 >/dev/null | grep 'error: ' || true)
    if [[ ${errors%%$'\n'*} != *"#error \"$named"*' is not in Etude: '* ]] ||
      tail -n +2 <<<"$errors" | grep -qv 'here is a header of LibTorch itself'; then
      echo "$header: $errors"
    fi
  done
}
all_are_refused() {
  cut -d' ' -f2 "$work/list" >"$work/names"
  xargs -P "$(nproc)" -n 20 bash -c 'faults "$@"' _ >"$work/faults"
  [ ! -s "$work/faults" ] || fail "not refused: $(cat "$work/faults")"
}
export -f faults
export work

if [ -n "$libtorch" ]; then
  is_there() { [ -e "$libtorch/$1" ] || [ -e "$libtorch/torch/csrc/api/include/$1" ]; }
  missing=$(cd "$libtorch/torch/csrc/api/include" && find torch -name '*.h' | sort | comm -23 - <(cut -d' ' -f2 "$work/list" | sort))
  [ -z "$missing" ] || fail "LibTorch has these, and the list has not: $missing"
  absent=$(grep -oE 'etude::[a-z0-9_]+[,;]' framework/libtorch/torch/names.h | sed -E 's|etude::(.*).|ATen/ops/\1.h|' | sort -u |
    comm -23 - <(cut -d' ' -f2 "$work/list" | sort) | while read -r header; do ! is_there "$header" || echo "$header"; done)
  [ -z "$absent" ] || fail "Etude has these functions, and the list has not their headers: $absent"
  # Releases before 1.13 had torch/csrc/WindowsTorchApiMacro.h.
  first=$(cat "$libtorch"/torch/{csrc/api/include/torch,headeronly}/version.h 2>/dev/null |
    sed -n 's/#define TORCH_VERSION_MAJOR //p' | sort -u || true)
  [[ $first == [12] ]] || fail "$libtorch does not say whether it is LibTorch 1 or 2: '$first'"
  grep -v WindowsTorchApiMacro "$work/list" | while read -r _ header star; do
    case $first$star in
      1) is_there "$header" || fail "$header is not in LibTorch 1" ;;
      '1*') ! is_there "$header" || fail "$header is in LibTorch 1, too" ;;
      '2*') is_there "$header" || fail "$header is not in LibTorch 2" ;;
    esac
  done
  (cd "$libtorch" && find ATen/ops -name '*.h' | sort) | grep -vxFf <(cut -d' ' -f2 "$work/list") | awk 'NR % 50 == 0' | all_are_refused
  echo "$(wc -l <"$work/list") headers are those of LibTorch $first"
  exit
fi

of_kind forward | tee >(in_api) | sed 's|.*|#include <&>|' >"$work/all.cpp"
cat >>"$work/all.cpp" <<'END'
#if TORCH_VERSION_MAJOR < 2 || TORCH_VERSION_MINOR < 14
#error "the version is 2.14"
#endif
using State = torch::optim::AdamParamState;
int main() {
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  const torch::Tensor x = torch::ones({2, 3}, torch::TensorOptions(device).pinned_memory(true)).to(device).pin_memory();
  torch::cuda::manual_seed(1);
  torch::cuda::manual_seed_all(1);
  torch::cuda::synchronize();
  torch::optim::Adam adam({x}, torch::optim::AdamOptions(0.1));
  adam.state()[c10::guts::to_string(x.unsafeGetTensorImpl())] = std::make_unique<State>();  // LibTorch 1.13
  const auto found = adam.state().find(x.unsafeGetTensorImpl());                            // LibTorch 2
  if (found == adam.state().end()) LOG(ERROR) << "no state";
  else CHECK(static_cast<State&>(*found->second).step() == 0) << "a step";
  torch::optim::ReduceLROnPlateauScheduler plateau(adam, torch::optim::ReduceLROnPlateauScheduler::max, 0.5F);
  plateau.step(1.0F);
  TORCH_CHECK_EQ(torch::rms_norm(x, {3}, torch::ones(3), 1e-5).dim(), 2);
  CHECK_EQ(at::scaled_dot_product_attention(x, x, x, {}, 0.0, true, 1.0, false).size(0), 2);
  *x.mutable_data_ptr<float>() = *x.const_data_ptr<float>();
  return x.mutable_data_ptr() == x.const_data_ptr() ? at::Reduction::None : at::Reduction::Mean;
}
END
compiled=0
for compiler in g++ clang++; do
  command -v $compiler >/dev/null || continue
  for standard in 17 20 23; do
    echo 'int main() {}' | $compiler -std=c++$standard -fsyntax-only -x c++ - 2>/dev/null || continue
    # shellcheck disable=SC2086
    $compiler -std=c++$standard -fsyntax-only -Wall -Wextra -Werror $include "$work/all.cpp" || fail "$compiler, C++$standard"
    echo "$compiler, C++$standard: all $(of_kind forward | wc -l) headers that are forwarded"
    compiled=$((compiled + 1))
  done
done
[ $compiled != 0 ] || fail "neither g++ nor clang++ compiles C++17"

refused=$(of_kind 'refuse|stop' | wc -l)
[ "$refused" != 0 ] || fail "the list refuses no header"
of_kind 'refuse|stop' | tee >(in_api) | all_are_refused
echo "$refused headers are refused"
