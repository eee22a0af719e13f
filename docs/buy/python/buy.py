"""Buys one recommendation, checks its receipt, repeats the request, and asks whether it was charged.

python buy.py [address of the seller]      PRIVATE_KEY=0x… is the wallet; a new one without it
"""

import base64
import hashlib
import os
import sys
import time
import uuid

import httpx
import jwt
from eth_account import Account
from x402 import x402ClientSync
from x402.http import x402HTTPClientSync
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme

SELLER = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8080"
PATH = "/agent/v1/habits/recommend"
# Canonical JSON (RFC 8785: members sorted, no blanks): the receipt has the digest of exactly these bytes.
BODY = b'{"habits":[{"best_streak":12,"completion_rate":0.46,"current_streak":0,"name":"Read 20 minutes"}]}'
# What this program pays with, USDC on Base: what an amount is worth depends on the token.
MONEY = ("exact", "eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
# The most this program signs for: 0.10 USD, in millionths.
MOST = 100_000

http = httpx.Client(base_url=SELLER, timeout=15)


def post(headers: dict[str, str]) -> httpx.Response:
    return http.post(PATH, content=BODY, headers={"Content-Type": "application/json", **headers})


def insist(headers: dict[str, str], nonce: str) -> httpx.Response:
    """Sends the same request until it is answered for good: 429 and 5xx mean "the same again, after a while"."""
    for _ in range(5):
        wait = 1
        try:
            response = post(headers)
            if response.status_code < 500 and response.status_code != 429:
                return response
            seconds = response.headers.get("Retry-After", "")
            wait = int(seconds) if seconds.isdecimal() else 1
        except httpx.RequestError:
            pass  # No answer, or one that cannot be read.
        time.sleep(wait)
    sys.exit(f"No answer. Do not sign again: ask {SELLER}/agent/v1/payments/{nonce}")


def digest(data: bytes) -> str:
    return f"sha-256=:{base64.b64encode(hashlib.sha256(data).digest()).decode()}:"


def say(what: str, text: str) -> None:
    print(f"{what:8}{text}")


private_key = os.environ.get("PRIVATE_KEY")
account = Account.from_key(private_key) if private_key else Account.create()
# Register the scheme of version 2: the client goes by the header PAYMENT-REQUIRED, in which the scheme of version 1
# alone finds nothing to pay.
client = x402ClientSync().register("eip155:*", ExactEvmScheme(signer=EthAccountSigner(account)))
wallet = x402HTTPClientSync(client)
say("wallet", account.address)

# 1. Ask what it costs. The answer is 402 with the offer, and says for free whether the body is valid.
asked = post({})
if asked.status_code != 402:
    sys.exit(f"Expected 402 with an offer, got {asked.status_code}: {asked.text}")
preflight = asked.json()["extensions"]["preflight"]
if not preflight["valid"]:
    sys.exit(f"Mend the body first: {preflight['issues']}")
offer = wallet.get_payment_required_response(asked.headers.get)
terms = next((one for one in offer.accepts if (one.scheme, one.network, one.asset) == MONEY), None)
if terms is None:
    sys.exit("The offer has no price in the money of this program.")
say("price", f"{terms.amount} millionths of a dollar, in {terms.asset} on {terms.network}")
if int(terms.amount) > MOST:
    sys.exit("That is more than this program may spend.")

# 2. Sign the terms that were looked at, once. What is kept here is all that a repeat needs.
payment = wallet.create_payment_payload(offer.model_copy(update={"accepts": [terms]}))
nonce = payment.payload["authorization"]["nonce"]
paying = {**wallet.encode_payment_signature_header(payment), "Idempotency-Key": str(uuid.uuid4())}
say("nonce", nonce)

# 3. Pay. Without a usable answer the same payment goes out again: it is never charged twice.
paid = insist(paying, nonce)
if paid.status_code != 200:
    sys.exit(f"Not paid: {paid.status_code} {paid.text}")
say("answer", f"200, {len(paid.content)} bytes")

# 4. Check the receipt: signed by the seller, about this payment, this request and these bytes.
receipt = paid.headers["X-Evenkeel-Receipt"]
kid = jwt.get_unverified_header(receipt)["kid"]
keys = http.get("/.well-known/receipt-jwks.json").json()["keys"]
key = next(key for key in keys if key["kid"] == kid)
claims = jwt.decode(receipt, jwt.PyJWK(key, "ES256"), algorithms=["ES256"])
expected = {
    "payer": account.address,
    "nonce": nonce,
    "pay_to": terms.pay_to,
    "amount_atomic": terms.amount,
    "request_digest": digest(b"POST\n" + PATH.encode() + b"\n" + BODY),
    "response_digest": digest(paid.content),
}
for claim, value in expected.items():
    if claims[claim] != value:
        sys.exit(f"The receipt has another {claim}: {claims[claim]}, not {value}")
say("receipt", f"holds, signed with key {kid}")

# 5. Repeat it, as after a lost answer: the same payment gets the same bytes, and costs nothing more.
again = insist(paying, nonce)
if again.content != paid.content or again.headers.get("Idempotent-Replayed") != "true":
    sys.exit("The repeat got another answer.")
say("repeat", f"{again.status_code}, the same bytes, not charged again")

# 6. Was I charged? Free, for the one who knows the nonce.
status = http.get(f"/agent/v1/payments/{nonce}").json()
charged = {True: "true", False: "false", None: "null"}[status["charged"]]
say("charged", f"{charged}, {status['state']}, nonce {nonce}, transaction {status['transaction']}")
