#!/bin/sh
# All long checks before a release, one after the other. Small ones first: what is wrong shows early.
set -u
cd "$(dirname "$0")/../.."
STEPS='model image compat journeys cluster faults random restore load soak'

help() {
  cat <<HELP
All long checks before a release, one after the other: under an hour on two quiet cores.

  npm run ship:check
  npm run ship:check -- --only faults --only restore
  npm run ship:check -- --skip soak
  npm run ship:check -- --ref v1.4.0     the release that compat takes as the one before

Checks: $STEPS. The output of each is in DATA_DIR/ship (.data). A check that fails does not stop the others.
Ends with 1 when one has failed, with 2 when it was called wrongly. Before the first release compat has nothing to check, and says so.
HELP
}

only= skip= ref=
while [ $# -gt 0 ]; do
  case "$1 ${2-}" in
    '--help '*) help && exit ;;
    '--only '?* | '--skip '?*)
      case " $STEPS " in *" $2 "*) ;; *) echo "There is no check $2: choose from $STEPS." >&2 && exit 2 ;; esac
      if [ "$1" = --only ]; then only="$only $2"; else skip="$skip $2"; fi
      ;;
    '--ref '?*) ref=$2 ;;
    *) help >&2 && exit 2 ;;
  esac
  shift 2
done
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

run() {
  case $1 in
    model) npm run --silent model ;;
    image) npm run --silent image:check ;;
    compat) npm run --silent compat:check -- ${ref:+--ref "$ref"} ;;
    journeys) against_cluster npm run --silent cluster -- journeys ;;
    cluster) npm run --silent cluster -- check ;;
    faults) npm run --silent faults ;;
    random) npm run --silent faults -- --random --minutes 5 ;;
    restore) npm run --silent restore:rehearse ;;
    load) against_cluster npm run --silent load ;;
    soak) against_cluster npm run --silent soak -- --minutes 8 --scale 0.3 ;;
  esac
}

failed=0
for step in $STEPS; do
  if [ -n "$only" ]; then case " $only " in *" $step "*) ;; *) continue ;; esac; fi
  case " $skip " in *" $step "*) continue ;; esac
  echo "$(date -u +%H:%M:%S)  $step" >&2
  began=$(date +%s)
  run "$step" >"$folder/$step.log" 2>&1
  code=$?
  verdict=FAILED
  if [ "$code" = 0 ]; then verdict=holds; fi
  if [ "$step $code" = 'compat 3' ]; then verdict='nothing yet'; fi
  if [ "$verdict" = FAILED ]; then
    failed=1
    tail -n 20 "$folder/$step.log" >&2
  fi
  printf '%-12s%-14s%5s s\n' "$step" "$verdict" $(($(date +%s) - began))
done
exit "$failed"
