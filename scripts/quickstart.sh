#!/usr/bin/env bash
# From a fresh clone to a report: installs what is missing, builds, profiles one training step of
# AlexNet on this machine and writes report.html. Arguments replace those of the main job:
#   scripts/quickstart.sh resnet50 --batch 16 --output resnet50.html
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
    sed -n '2,4s/^# //p' "${BASH_SOURCE[0]}"
    exit 0
fi

ridge_install build
# The tests need packages of their own; scripts/test.sh installs those and turns them on.
ridge_build release -DRIDGE_BUILD_TESTS=OFF -DRIDGE_BUILD_BENCH=OFF
(($#)) || set -- alexnet --batch 8 --output report.html
exec "$ridge_root/build/release/apps/ridge/ridge" report "$@"
