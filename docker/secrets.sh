#!/bin/sh
# Makes the secrets of compose.yaml on the first start, and leaves them as they are afterwards: sh secrets.sh /secrets
set -eu
umask 077
root=$1

if [ -e "$root/postgres/complete" ]; then
  echo 'The secrets are there.'
  exit
fi

password() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
key() { printf 'first:%s' "$(head -c 32 /dev/urandom | base64 | tr -d '\n')"; }
# keep <folder> <name>: what is piped in, as a file that only the owner of the folder reads.
keep() { mkdir -p "$root/$1" && cat >"$root/$1/$2"; }

redis=$(password)
printf 'requirepass %s\nsave ""\nappendonly no\n' "$redis" | keep redis redis.conf
password | keep postgres password
: | keep postgres databases.sql

for service in agent-gateway accounts billing reporting; do
  name=$(echo "$service" | tr - _)
  password=$(password)
  cat >>"$root/postgres/databases.sql" <<SQL
CREATE ROLE $name LOGIN PASSWORD '$password';
CREATE DATABASE $name OWNER $name;
REVOKE CONNECT ON DATABASE $name FROM PUBLIC;
SQL
  printf 'postgres://%s:%s@postgres:5432/%s' "$name" "$password" "$name" | keep "$service" database-url
  printf 'redis://:%s@redis:6379' "$redis" | keep "$service" redis-url
done

key | keep agent-gateway answer-keys
key | keep agent-gateway receipt-keys
key | keep accounts jwt-keys
key | keep accounts refresh-token-keys
password | keep reporting admin-token
# Of the development Stripe, which anybody may know.
printf sk_test_EvenkeelDevelopment | keep billing stripe-secret-key
printf whsec_EvenkeelDevelopment | keep billing stripe-webhook-secret

# The users of these images: Debian's postgres and redis, and ours.
if [ "$(id -u)" = 0 ]; then
  chown -R 999:999 "$root/postgres" "$root/redis"
  chown -R 10001:10001 "$root/agent-gateway" "$root/accounts" "$root/billing" "$root/reporting"
fi
: >"$root/postgres/complete"
echo 'The secrets are made.'
