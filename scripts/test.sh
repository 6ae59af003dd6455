#!/usr/bin/env bash
# Installs what is missing, builds in release and runs all tests. Arguments go to ctest:
#   scripts/test.sh -L formula
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

ridge_install build test
ridge_build release -DRIDGE_BUILD_TESTS=ON -DRIDGE_BUILD_BENCH=ON
ctest --test-dir "$ridge_root/build/release" -j "$(nproc)" --no-tests=error \
    --output-on-failure --timeout 600 "$@"
