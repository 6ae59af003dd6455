#!/usr/bin/env bash
# Fuzzes every reader for some minutes each (default 10), starting from the kept corpus:
#   scripts/fuzz.sh [minutes] [reader...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
minutes=${1:-10}
(($# > 0)) && shift

ridge_install build check
(cd "$ridge_root" && cmake --preset fuzz >/dev/null)
for target in $(cd "$ridge_root/tests/fuzz/corpus" && ls); do
    (($# == 0)) || [[ " $* " == *" $target "* ]] || continue
    cmake --build "$ridge_root/build/fuzz" --target "fuzz_$target"
    found="$ridge_root/build/fuzz/found/$target"
    mkdir -p "$found"
    echo "== $target, $minutes min"
    "$ridge_root/build/fuzz/tests/fuzz/fuzz_$target" -max_total_time=$((minutes * 60)) \
        -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 -artifact_prefix="$found/" \
        "$found" "$ridge_root/tests/fuzz/corpus/$target"
done
