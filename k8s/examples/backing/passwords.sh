#!/bin/sh
# Makes the passwords of the stores, once: sh passwords.sh passwords. The second time: sh passwords.sh roles, when PostgreSQL runs.
set -eu
namespace=evenkeel-backing
secret() { kubectl -n "$namespace" create secret generic "$@"; }

for service in agent-gateway accounts billing reporting; do
  case ${1:-passwords} in
    passwords)
      for user in migrations processes; do
        name=$service
        if [ "$user" = migrations ]; then name="$service-migrations"; fi
        secret "$service-$user" --type=kubernetes.io/basic-auth \
          --from-literal=username="$name" --from-literal=password="$(openssl rand -hex 24)"
      done
      ;;
    # The user of the processes acts as the one that owns the tables.
    roles)
      kubectl cnpg psql "$service-postgresql" -n "$namespace" -- -c "ALTER ROLE \"$service\" SET role = '$service-migrations'"
      ;;
  esac
done
if [ "${1:-passwords}" = passwords ]; then secret redis --from-literal=password="$(openssl rand -hex 24)"; fi
