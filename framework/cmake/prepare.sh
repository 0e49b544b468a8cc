# Sourced by the run scripts of the folders and by .ci/run: finds out what the machine lacks, installs it if that is
# possible, configures and builds. Nothing is downloaded on a machine that has everything.
#
#   need command g++ g++          a program, and the Debian package that has it
#   need header CLI/CLI.hpp libcli11-dev
#   need file /usr/include/CLI/CLI.hpp libcli11-dev
#   need linking -fsanitize=thread libclang-rt-dev    what clang++ needs to link with this option
#   want header ...               the same for something optional
#   install_missing               installs, or says what to install and stops with status 2
#   configure_preset release      the preset into build/release
#   build_preset PRESET [TARGET...]   configures and builds, and prints little unless something is wrong
#   build_release TARGET...       the same for the preset release
#   with_progress cmake --build ...   a build that says how far it is
missing=()
missing_optional=()
read -ra compiler <<<"${CXX:-g++}"  # may be several words, as in CXX="ccache g++"

have() {
  case $1 in
    command) command -v "$2" >/dev/null ;;
    header) echo "#include <$2>" | "${compiler[@]}" -std=c++17 -E -x c++ - >/dev/null 2>&1 ;;
    file) [ -e "$2" ] ;;
    linking) echo 'int main() {}' | clang++ "$2" -x c++ -o /dev/null - 2>/dev/null ;;
  esac
}

need() { have "$1" "$2" || missing+=("$3"); }
want() { have "$1" "$2" || missing_optional+=("$3"); }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

say_what_to_install() {
  echo "$0: please install these Debian or Ubuntu packages, or what contains the same elsewhere:" >&2
  echo "  $*" >&2
}

install_missing() {
  if [ ${#missing[@]} = 0 ] && [ ${#missing_optional[@]} = 0 ]; then return; fi
  if ! command -v apt-get >/dev/null || { [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; }; then
    if [ ${#missing[@]} = 0 ]; then return; fi
    say_what_to_install "${missing[@]}" "${missing_optional[@]}"
    exit 2
  fi
  echo "Installing ${missing[*]} ${missing_optional[*]}"
  # If the update fails, the old lists of packages may do.
  as_root apt-get update -q || echo "$0: apt-get update failed; going on with the lists that are there" >&2
  if [ ${#missing[@]} != 0 ] && ! apt_install "${missing[@]}"; then
    say_what_to_install "${missing[@]}"
    exit 2
  fi
  for package in "${missing_optional[@]}"; do
    apt_install "$package" || echo "$0: going on without $package" >&2
  done
}

require_cmake_3_25() {
  local version
  version=$(cmake --version | sed -n '1s/.* //p')
  if [ "$(printf '3.25\n%s\n' "$version" | sort -V | head -1)" != 3.25 ]; then
    echo "$0: CMake 3.25 or newer is needed, this is $version. A newer one: pip install cmake, or cmake.org/download" >&2
    exit 2
  fi
}

configure_preset() {
  local preset=$1
  shift
  require_cmake_3_25
  cmake --preset "$preset" -DETUDE_WERROR="${ETUDE_WERROR:-OFF}" ${ETUDE_MPI:+"-DETUDE_MPI=$ETUDE_MPI"} "$@"
}

# CMake keeps the compiler that a folder was configured with, and does not say so if CXX names another one.
check_compiler() {
  local kept
  kept=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "build/$1/CMakeCache.txt" 2>/dev/null || true)
  if [ -z "${CXX-}" ] || [ -z "$kept" ]; then return; fi
  if [ "$(realpath -q "$(command -v "${compiler[0]}")")" != "$(realpath -q "$kept")" ]; then
    echo "$0: build/$1 was configured for $kept, and the variable CXX says $CXX." >&2
    echo "  To configure it for $CXX, without the options that were given before: cmake --fresh --preset $1" >&2
    exit 2
  fi
}

# On a terminal ninja rewrites one line. Elsewhere its lines of progress become one line for each tenth of the build, and all other
# lines, such as errors, are shown.
with_progress() {
  if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then "$@"; else "$@" 2>&1 | show_tenths; fi
}

show_tenths() {
  local line number all tenths=0
  while IFS= read -r line || [ -n "$line" ]; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (Re-)? ]]; then
      number=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
      if [ -n "${BASH_REMATCH[3]}" ]; then continue; fi  # ninja first looks at what CMake wrote
      if [ "$number" = 1 ]; then tenths=0; fi
      if [ $((number * 10 / all)) -gt "$tenths" ]; then
        tenths=$((number * 10 / all))
        echo "[$number/$all] built"
      fi
    elif [[ $line != "ninja: no work"* ]]; then
      printf '%s\n' "$line"
    fi
  done
}

build_preset() {
  local preset=$1 log status=0
  shift
  check_compiler "$preset"
  echo "Building in build/$preset; the first time takes some minutes"
  log=$(mktemp)
  (configure_preset "$preset") >"$log" 2>&1 || status=$?
  if [ $status != 0 ]; then cat "$log" >&2; fi
  rm "$log"
  if [ $status != 0 ]; then exit $status; fi
  with_progress cmake --build --preset "$preset" ${1:+--target "$@"}
}

build_release() { build_preset release "$@"; }

need_build_tools() {
  if ! "${compiler[@]}" --version >/dev/null 2>&1; then
    if [ -n "${CXX-}" ]; then
      echo "$0: the compiler of the variable CXX cannot be run: $CXX" >&2
      exit 2
    fi
    missing+=(g++)
  fi
  need command cmake cmake
  need command ninja ninja-build
  need header nlohmann/json.hpp nlohmann-json3-dev
  want header oneapi/dnnl/dnnl.hpp libdnnl-dev
  want header zip.h libzip-dev
}
