#!/usr/bin/env bash
# Runs the bench of a build folder; what follows the folder goes to the bench.
set -euo pipefail
build=$1
shift
exec "$build/shadewood" bench "$@"
