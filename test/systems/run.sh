#!/usr/bin/env bash
# The tests against real systems. With --all every row of test/systems/drill-table.ts is run, which takes more than an hour.
set -euo pipefail
words=()
for word in "$@"; do
  if [ "$word" = --all ]; then export ACKPROOF_ALL_DRILLS=1; else words+=("$word"); fi
done
exec npx vitest run --config vitest.systems.config.ts ${words[@]+"${words[@]}"}
