#!/usr/bin/env bash
# Buys one recommendation, checks its receipt, repeats the request, and asks whether it was charged.
#   bash buy.sh [address of the seller]      PRIVATE_KEY=0x… is the wallet; a new one without it
# Needs curl, jq and openssl, and a signer of typed data (EIP-712): SIGNER, by default sign.py beside this file.
set -euo pipefail

seller=${1:-http://localhost:8080}
seller=${seller%/}
path=/agent/v1/habits/recommend
# Canonical JSON (RFC 8785: members sorted, no blanks): the receipt has the digest of exactly these bytes.
body='{"habits":[{"best_streak":12,"completion_rate":0.46,"current_streak":0,"name":"Read 20 minutes"}]}'
# What this program pays with, USDC on Base: what an amount is worth depends on the token.
money='{"scheme":"exact","network":"eip155:8453","asset":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}'
most=100000 # the most this program signs for: 0.10 USD, in millionths
here=$(cd "$(dirname "$0")" && pwd)
export PRIVATE_KEY=${PRIVATE_KEY:-0x$(openssl rand -hex 32)}
# Two commands: `$SIGNER address` prints the wallet; `$SIGNER sign` reads typed data and prints the signature.
SIGNER=${SIGNER:-python3 $here/sign.py}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '%-8s%s\n' "$1" "$2"; }
fail() { echo "$1" >&2; exit 1; }
encoded() { base64 | tr -d '\n'; }
digest() { printf 'sha-256=:%s:' "$(openssl dgst -sha256 -binary | encoded)"; }
# Headers of the last answer are in $work/headers, its body in the file named first; prints the status.
post() {
  local into=$1; shift
  : > "$work/headers"
  curl --silent --show-error --max-time 15 --dump-header "$work/headers" --output "$into" --write-out '%{http_code}' \
    --header 'Content-Type: application/json' "$@" --data-binary "$body" "$seller$path"
}
header() { grep -i "^$1:" "$work/headers" | cut -d' ' -f2- | tr -d '\r\n'; }
# Sends the same request until it is answered for good: 429 and 5xx mean "the same again, after a while".
insist() {
  local status
  for _ in 1 2 3 4 5; do
    status=$(post "$@") || status=000
    case $status in
      000 | 429 | 5*) sleep "$(header Retry-After | grep -x '[0-9]*' || echo 1)" ;;
      *) echo "$status"; return ;;
    esac
  done
  fail "No answer. Do not sign again: ask $seller/agent/v1/payments/$nonce"
}

wallet=$($SIGNER address)
say wallet "$wallet"

# 1. Ask what it costs. The answer is 402 with the offer, and says for free whether the body is valid.
status=$(post "$work/asked")
[ "$status" = 402 ] || fail "Expected 402 with an offer, got $status: $(cat "$work/asked")"
[ "$(jq .extensions.preflight.valid "$work/asked")" = true ] || fail "Mend the body first: $(jq -c .extensions.preflight "$work/asked")"
# The offer of version 2 is in the header. What is in the body is for clients of version 1.
header PAYMENT-REQUIRED | base64 -d | jq --argjson money "$money" '.accepts |= map(select(. + $money == .))' > "$work/offer"
[ "$(jq '.accepts | length' "$work/offer")" != 0 ] || fail 'The offer has no price in the money of this program.'
term() { jq -r ".accepts[0].$1" "$work/offer"; }
say price "$(term amount) millionths of a dollar, in $(term asset) on $(term network)"
[ "$(term amount)" -le "$most" ] || fail 'That is more than this program may spend.'

# 2. Sign the terms that were looked at, once (TransferWithAuthorization of EIP-3009). What is kept here is all that a repeat needs.
nonce=0x$(openssl rand -hex 32)
jq --arg from "$wallet" --arg nonce "$nonce" '.accepts[0] | {
    types: {
      EIP712Domain: [{name: "name", type: "string"}, {name: "version", type: "string"},
        {name: "chainId", type: "uint256"}, {name: "verifyingContract", type: "address"}],
      TransferWithAuthorization: [{name: "from", type: "address"}, {name: "to", type: "address"},
        {name: "value", type: "uint256"}, {name: "validAfter", type: "uint256"},
        {name: "validBefore", type: "uint256"}, {name: "nonce", type: "bytes32"}]
    },
    primaryType: "TransferWithAuthorization",
    domain: {name: .extra.name, version: .extra.version, chainId: (.network | ltrimstr("eip155:") | tonumber),
      verifyingContract: .asset},
    message: {from: $from, to: .payTo, value: .amount, validAfter: "0",
      validBefore: (now + .maxTimeoutSeconds | floor | tostring), nonce: $nonce}
  }' "$work/offer" > "$work/typed-data"
signature=$($SIGNER sign < "$work/typed-data")
payment=$(jq -c --arg signature "$signature" --slurpfile typed "$work/typed-data" '{x402Version: 2, resource, accepted: .accepts[0],
  extensions, payload: {signature: $signature, authorization: $typed[0].message}}' "$work/offer" | tr -d '\n' | encoded)
paying=(--header "PAYMENT-SIGNATURE: $payment" --header "Idempotency-Key: $(openssl rand -hex 16)")
say nonce "$nonce"

# 3. Pay. Without a usable answer the same payment goes out again: it is never charged twice.
status=$(insist "$work/answer" "${paying[@]}")
[ "$status" = 200 ] || fail "Not paid: $status $(cat "$work/answer")"
say answer "200, $(wc -c < "$work/answer" | tr -d ' ') bytes"

# 4. Check the receipt: signed by the seller, about this payment, this request and these bytes.
IFS=. read -r head claims signature <<< "$(header X-Evenkeel-Receipt)"
decoded() { local text; text=$(tr -- '-_' '+/'); printf '%s%s' "$text" "$(printf '%*s' $(((4 - ${#text} % 4) % 4)) '' | tr ' ' =)" | base64 -d; }
hex() { od -An -v -tx1 | tr -d ' \n'; }
unhex() { printf '%b' "$(sed 's/../\\x&/g')"; }
kid=$(printf %s "$head" | decoded | jq -r 'select(.alg == "ES256").kid')
key=$(curl --silent "$seller/.well-known/receipt-jwks.json" | jq -c --arg kid "$kid" '.keys[] | select(.kid == $kid)')
# A key of P-256 as openssl reads it: a fixed beginning, then x and y.
{ printf 3059301306072a8648ce3d020106082a8648ce3d03010703420004
  for part in x y; do jq -r ".$part" <<< "$key" | tr -d '\n' | decoded | hex; done; } | unhex > "$work/key"
# A signature as openssl reads it: two whole numbers, each without zeros in front and with one where it would look negative.
number() { local digits=$1; while [[ $digits == 00* ]]; do digits=${digits:2}; done; [[ $digits == [89a-f]* ]] && digits=00$digits; printf '02%02x%s' $((${#digits} / 2)) "$digits"; }
both=$(printf %s "$signature" | decoded | hex)
numbers=$(number "${both:0:64}")$(number "${both:64}")
printf '30%02x%s' $((${#numbers} / 2)) "$numbers" | unhex > "$work/signature"
printf %s "$head.$claims" | openssl dgst -sha256 -verify "$work/key" -keyform DER -signature "$work/signature" > /dev/null \
  || fail 'The receipt is not signed by the seller.'
printf %s "$claims" | decoded > "$work/claims"
holds() { local said; said=$(jq -r ".$1" "$work/claims"); [ "$said" = "$2" ] || fail "The receipt has another $1: $said, not $2"; }
holds payer "$wallet"
holds nonce "$nonce"
holds pay_to "$(term payTo)"
holds amount_atomic "$(term amount)"
holds request_digest "$(printf 'POST\n%s\n%s' "$path" "$body" | digest)"
holds response_digest "$(digest < "$work/answer")"
say receipt "holds, signed with key $kid"

# 5. Repeat it, as after a lost answer: the same payment gets the same bytes, and costs nothing more.
status=$(insist "$work/again" "${paying[@]}")
cmp -s "$work/answer" "$work/again" && [ "$(header Idempotent-Replayed)" = true ] || fail 'The repeat got another answer.'
say repeat "$status, the same bytes, not charged again"

# 6. Was I charged? Free, for the one who knows the nonce.
curl --silent "$seller/agent/v1/payments/$nonce" > "$work/status"
say charged "$(jq -r --arg nonce "$nonce" '"\(.charged), \(.state), nonce \($nonce), transaction \(.transaction)"' "$work/status")"
