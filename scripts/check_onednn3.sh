#!/usr/bin/env bash
# Compiles the oneDNN collector against the public headers of another release, without linking:
#   scripts/check_onednn3.sh /path/to/oneDNN/include
# The folder is the include folder of an installed oneDNN or of its source tree, whose generated
# headers (dnnl_config.h, dnnl_version.h) are then made aside.
set -euo pipefail
if [ $# -ne 1 ] || [ ! -f "$1/oneapi/dnnl/dnnl.hpp" ]; then
  echo "usage: $0 INCLUDE_FOLDER   (with oneapi/dnnl/dnnl.hpp)" >&2
  exit 2
fi
headers=$(cd "$1" && pwd)
source_root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -f "$headers/oneapi/dnnl/dnnl_config.h" ]; then
  version=$(sed -nE 's/.*PROJECT_VERSION "?([0-9]+\.[0-9]+\.[0-9]+)"?.*/\1/p' \
            "$headers/../CMakeLists.txt" 2>/dev/null | head -1)
  cat >"$work/generate.cmake" <<EOF
string(REPLACE "." ";" parts "${version:-3.0.0}")
list(GET parts 0 DNNL_VERSION_MAJOR)
list(GET parts 1 DNNL_VERSION_MINOR)
list(GET parts 2 DNNL_VERSION_PATCH)
set(DNNL_CPU_THREADING_RUNTIME OMP)
set(DNNL_CPU_RUNTIME OMP)
set(DNNL_GPU_RUNTIME NONE)
set(DNNL_GPU_VENDOR NONE)
set(BUILD_TRAINING 1)
set(BUILD_PRIMITIVE_ALL 1)
file(GLOB templates $headers/oneapi/dnnl/*.h.in)
foreach(template \${templates})
  get_filename_component(name \${template} NAME_WLE)
  configure_file(\${template} $work/include/oneapi/dnnl/\${name})
endforeach()
EOF
  cmake -P "$work/generate.cmake"
fi

compiler=${CXX:-c++}
for source in "$source_root"/collectors/onednn/*.cpp "$source_root"/collectors/onednn/kinds/*.cpp; do
  "$compiler" -std=c++20 -fsyntax-only -fopenmp -Wall -Wextra -Wpedantic -Wshadow -Werror \
    -I"$source_root" -I"$source_root/include" -isystem "$headers" -isystem "$work/include" "$source"
done
printf '#include <oneapi/dnnl/dnnl_version.h>\nRIDGE DNNL_VERSION_MAJOR DNNL_VERSION_MINOR DNNL_VERSION_PATCH\n' |
  "$compiler" -E -P -xc++ -isystem "$headers" -isystem "$work/include" - |
  sed -nE 's/^RIDGE ([0-9]+) ([0-9]+) ([0-9]+)$/The oneDNN collector compiles with oneDNN \1.\2.\3./p'
