#!/bin/sh
# Makes the Secrets of production from a folder of files, and says which of them are missing.
set -eu

if [ $# -ne 1 ] || [ "$1" = --help ]; then
  cat >&2 <<'HELP'
Prints the five Secrets that the processes read, from the files of a folder. It makes keys and tokens itself, once.

  sh k8s/secrets.sh ~/evenkeel-secrets                        says which files are missing: write the values into them
  sh k8s/secrets.sh ~/evenkeel-secrets | kubectl apply -f -   when none is

A value for all Secrets is in <folder>/<KEY>, one for a single Secret in <folder>/<secret>/<KEY>; there a further file, such as
STRIPE_WEBHOOK_SECRET_PREVIOUS, is a further key. The folder is the only copy of the keys: keep it sealed, and out of every
repository.

Environment
  NAMESPACE    where the product runs (evenkeel)
HELP
  exit 2
fi
folder=$1
umask 077
mkdir -p "$folder"
kafka='KAFKA_CA KAFKA_SASL_PASSWORD'
servers="DATABASE_URL MIGRATION_DATABASE_URL REDIS_URL $kafka"

keys_of() {
  case $1 in
    agent-gateway-secrets) echo "$servers FACILITATOR_URL X402_RPC_URL ANSWER_KEYS RECEIPT_KEYS" ;;
    accounts-secrets) echo "$servers JWT_KEYS REFRESH_TOKEN_KEYS SMTP_URL" ;;
    billing-secrets) echo "$servers STRIPE_SECRET_KEY STRIPE_WEBHOOK_SECRET" ;;
    reporting-secrets) echo "$servers ADMIN_TOKEN" ;;
    topics-secrets) echo "$kafka" ;;
  esac
}

# made_here <key>: a new value on standard output, for what nobody else knows.
made_here() {
  case $1 in
    ANSWER_KEYS | RECEIPT_KEYS | JWT_KEYS | REFRESH_TOKEN_KEYS)
      made=$(openssl rand -base64 32) && printf '%s:%s' "$(date -u +%Yq%m)" "$made"
      ;;
    ADMIN_TOKEN) made=$(openssl rand -hex 24) && printf '%s' "$made" ;;
    *) return 1 ;;
  esac
}

# file_of <secret> <key>: where its value is, or goes.
file_of() {
  if [ ! -s "$folder/$1/$2" ] && [ -s "$folder/$2" ]; then echo "$folder/$2"; else echo "$folder/$1/$2"; fi
}

# further_keys_of <secret>: the other settings that have a file in its folder.
further_keys_of() {
  for file in "$folder/$1"/*; do
    key=${file##*/}
    case " $(keys_of "$1") " in *" $key "*) continue ;; esac
    case $key in *[!A-Z0-9_]*) ;; *) if [ -s "$file" ]; then echo "$key"; fi ;; esac
  done
}

missing=0
for secret in agent-gateway-secrets accounts-secrets billing-secrets reporting-secrets topics-secrets; do
  mkdir -p "$folder/$secret"
  for key in $(keys_of "$secret"); do
    file=$(file_of "$secret" "$key")
    if [ ! -s "$file" ] && ! made_here "$key" >"$file"; then
      rm -f "$file"
      echo "$file" >&2
      missing=$((missing + 1))
    fi
  done
done
if [ "$missing" -gt 0 ]; then
  echo "$missing files are missing. Nothing was printed." >&2
  exit 1
fi

for secret in agent-gateway-secrets accounts-secrets billing-secrets reporting-secrets topics-secrets; do
  set --
  for key in $(keys_of "$secret") $(further_keys_of "$secret"); do set -- "$@" "--from-file=$key=$(file_of "$secret" "$key")"; done
  kubectl create secret generic "$secret" --namespace "${NAMESPACE:-evenkeel}" --dry-run=client --output yaml "$@"
  echo ---
done
