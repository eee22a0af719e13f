#!/bin/sh
# All long checks before a release, one after the other. Small ones first: what is wrong shows early.
set -u
cd "$(dirname "$0")/../.."

help() {
  cat <<HELP
All long checks before a release, one after the other: under an hour on two quiet cores.

  npm run ship:check

The output of each is in DATA_DIR/ship (.data). A check that fails does not stop the others.
Ends with 1 when one has failed, with 2 when it was called wrongly. Before the first release compat has nothing to check, and says so.
HELP
}

case "$# ${1-}" in
  '0 ') ;;
  '1 --help') help && exit ;;
  *) help >&2 && exit 2 ;;
esac
folder=${DATA_DIR:-.data}/ship
mkdir -p "$folder"

# against_cluster <command …>: starts a cluster before it, and ends it afterwards.
against_cluster() {
  npm run --silent cluster >"$folder/against.log" 2>&1 &
  cluster=$!
  waited=0
  until grep -q 'Evenkeel runs at' "$folder/against.log"; do
    waited=$((waited + 1))
    if [ "$waited" -gt 300 ] || ! kill -0 "$cluster" 2>/dev/null; then cat "$folder/against.log" && return 1; fi
    sleep 1
  done
  "$@"
  code=$?
  # npm passes no signal on: the cluster is the child of its shell.
  pkill -INT -P "$cluster" 2>/dev/null || kill -INT "$cluster"
  wait "$cluster"
  return "$code"
}

failed=0
# check <name> <command …>
check() {
  step=$1
  shift
  echo "$(date -u +%H:%M:%S)  $step" >&2
  began=$(date +%s)
  "$@" >"$folder/$step.log" 2>&1
  code=$?
  verdict=FAILED
  if [ "$code" = 0 ]; then verdict=holds; fi
  if [ "$step $code" = 'compat 3' ]; then verdict='nothing yet'; fi
  if [ "$verdict" = FAILED ]; then
    failed=1
    tail -n 20 "$folder/$step.log" >&2
  fi
  printf '%-12s%-14s%5s s\n' "$step" "$verdict" $(($(date +%s) - began))
}

check model npm run --silent model
check image npm run --silent image:check
check compat npm run --silent compat:check
check journeys against_cluster npm run --silent cluster -- journeys
check cluster npm run --silent cluster -- check
check faults npm run --silent faults
check random npm run --silent faults -- --random --minutes 5
check restore npm run --silent restore:rehearse
check load against_cluster npm run --silent load
check soak against_cluster npm run --silent soak -- --minutes 8 --scale 0.3
exit "$failed"
