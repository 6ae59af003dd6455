#!/usr/bin/env bash
# Writes a large log of ONEDNN_VERBOSE to standard output, made of the executions in the shared logs
# with decimal point, again and again with other times:
#   RIDGE_DATA_DIR=data scripts/make_verbose_log.sh 1000000000 > big.log
# and reads it:
#   /usr/bin/time -v build/release/apps/ridge/ridge import verbose big.log --dry-run
set -euo pipefail
bytes=${1:-1000000000}
: "${RIDGE_DATA_DIR:?the folder with onednn-verbose/}"
grep -hE '^(mkl|)(dnn|dnnl|onednn)_verbose,.*exec,.*[0-9]\.[0-9]+$' "$RIDGE_DATA_DIR"/onednn-verbose/*.log |
    awk -F, -v OFS=, -v bytes="$bytes" '
        { start[NR] = substr($0, 1, length($0) - length($NF)) }
        END {
            while (written < bytes)
                for (i = 1; i <= NR && written < bytes; ++i) {
                    line = start[i] sprintf("%.6g", 0.5 + i / 7 + (round + i) % 101 / 1000)
                    print line
                    written += length(line) + 1
                    if (i == NR) ++round
                }
        }'
