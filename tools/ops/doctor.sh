#!/bin/sh
# Checks services by their own programs: those that are named, else all four with the settings of a local run.
set -eu

if [ "${1-}" = --help ]; then
  cat <<'HELP'
Tries what the settings of a service lead to: database and schema, Kafka and its topics, Redis, and what only this service
uses. Each line says ok, off (not configured, and nothing needs it), or wrong, with what to set.

  npm run doctor                  all four, with the settings of `npm start` in DATA_DIR (.data)
  npm run doctor -- billing       one, with its settings in the environment, <NAME>_FILE included

Ends with 0 when nothing is wrong, 1 when something is, 2 when the command could not be understood.
HELP
  exit 0
fi

check() { name=$1; shift; sh tools/run.sh "apps/$name/src/main.ts" --check "$@"; }

case "$#:${1-}" in
  0:)
    code=0
    folder=${DATA_DIR:-.data}
    case "$folder" in /*) ;; *) folder="./$folder" ;; esac
    if [ ! -f "$folder/agent-gateway.env" ]; then
      echo "There is no $folder/agent-gateway.env: run npm start first, or name the service whose settings are in the environment." >&2
      exit 2
    fi
    for service in agent-gateway accounts billing reporting; do
      echo "$service"
      ( set -a && . "$folder/$service.env" && check "$service" --one-process ) || code=1
    done
    exit "$code"
    ;;
  1:agent-gateway | 1:accounts | 1:billing | 1:reporting) check "$1" ;;
  *)
    echo 'name one service: agent-gateway, accounts, billing, reporting; or none for all. See npm run doctor -- --help' >&2
    exit 2
    ;;
esac
