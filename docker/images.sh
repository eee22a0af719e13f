#!/bin/sh
# Builds and tags every image: sh docker/images.sh [prefix] [tag], by default evenkeel and local. PUSH=yes pushes them, too.
set -eu
case ${1-} in
  -*)
    sed -n '2s/^# //p' "$0" >&2
    exit 2
    ;;
esac
prefix=${1:-evenkeel}
tag=${2:-local}
cd "$(dirname "$0")/.."

for image in \
  agent-gateway=apps/agent-gateway accounts=apps/accounts billing=apps/billing reporting=apps/reporting \
  events=tools/ops facilitator=tools/facilitator stripe=tools/stripe; do
  name="$prefix/${image%%=*}:$tag"
  docker build --file docker/Dockerfile --build-arg "APP=${image#*=}" --build-arg "VERSION=$tag" \
    --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" --tag "$name" .
  if [ "${PUSH:-no}" = yes ]; then docker push --quiet "$name"; fi
  echo "$name"
done
