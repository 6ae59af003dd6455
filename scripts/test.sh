#!/usr/bin/env bash
# Installs what is missing, builds in release and runs all tests. Arguments go to ctest:
#   scripts/test.sh -L formula
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

ridge_install build test
ridge_build release
ctest --test-dir "$ridge_root/build/release" --output-on-failure --timeout 600 "$@"
