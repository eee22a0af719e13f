#!/bin/sh
# Runs a program of operators once in the cluster, shows what it says, and ends with its exit code.
set -eu

if [ $# -lt 2 ] || [ "$1" = --help ]; then
  cat >&2 <<'HELP'
Runs a program once in the cluster, with the settings, secrets and flows of a service, and ends with its exit code.

  sh k8s/run.sh accounts-operations main.js --check
  sh k8s/run.sh agent-gateway-operations operations/reconciliation/main.js --help
  sh k8s/run.sh reporting-events events/replay/main.js reporting --list

The first word is a CronJob, which nothing but this starts; docs/operations/commands.md has a line for every command.

Environment
  OPERATOR     who gives the command, where it is stored (your user)
  NAMESPACE    where the product runs (evenkeel)
HELP
  exit 2
fi
namespace=${NAMESPACE:-evenkeel}
template=$1
shift

# A text as JSON has it.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }

args=
for arg in "$@"; do args="${args:+$args,}$(quoted "$arg")"; done
operator=$(quoted "${OPERATOR:-$(id -un)}")
container=/spec/template/spec/containers/0
patch="[{\"op\":\"add\",\"path\":\"$container/args\",\"value\":[$args]},
  {\"op\":\"add\",\"path\":\"$container/env\",\"value\":[{\"name\":\"OPERATOR\",\"value\":$operator}]}]"

job="$template-$(date -u +%y%m%d%H%M%S)"
made=$(kubectl --namespace "$namespace" create job "$job" --from="cronjob/$template" --dry-run=client --output json)
made=$(printf '%s' "$made" | kubectl patch --local --filename - --type json --patch "$patch" --output json)
printf '%s' "$made" | kubectl --namespace "$namespace" create --filename - >&2

# Until its container has begun there is no output to follow.
patience=120
lose_patience() {
  patience=$((patience - 1))
  if [ "$patience" -gt 0 ]; then
    sleep 1
  else
    echo "$1 See: kubectl --namespace $namespace describe job $job" >&2
    exit 1
  fi
}
until kubectl --namespace "$namespace" logs --follow "job/$job" 2>/dev/null; do
  lose_patience "It has not begun within two minutes."
done

state='jsonpath={.items[0].status.containerStatuses[0].state.terminated.exitCode}'
until code=$(kubectl --namespace "$namespace" get pods --selector "job-name=$job" --output "$state") && [ -n "$code" ]; do
  lose_patience "It does not say how it has ended."
done
exit "$code"
