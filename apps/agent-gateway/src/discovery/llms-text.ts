import { MAX_ITEMS, PAID_ENDPOINTS, REBATE_TIERS, SERVICE, type PaidEndpoint } from '@evenkeel/contracts';
import { MICROS_PER_USD, usdAmount } from '@evenkeel/kernel';
import { REDEEM_HEADER } from '../calls/call';
import { MAX_SECONDS_LONGER } from '../calls/payment';
import type { AgentGatewayConfig } from '../config/agent-gateway.config';
import type { PaymentTerms } from '../config/payment-terms';
import { decimalPrice } from '../offers/offers';

/** The only part of the second request that a reader fills in. */
export const PAYMENT_PLACE = '<base64 of the signed payment>';

/** The cheapest: what a reader tries first. */
const tried = PAID_ENDPOINTS.reduce((one, other) => (other.priceMicros < one.priceMicros ? other : one));

/** `/llms.txt`: all that a language model needs to buy a call, in one page (D-56). */
export function llmsText(config: AgentGatewayConfig, terms: PaymentTerms, offerDigest: string): string {
  const { CREDIT_FACE_MICROS, PAID_ANSWER_BUDGET_MS, MAX_BODY_BYTES, rates } = config;
  const { baseUrl, chain, asset, assetName, assetVersion, payTo, maxTimeoutSeconds } = terms;
  return `# ${SERVICE.name}

> ${SERVICE.description} No account, no API key, no model: the same input yields the same bytes.

## Offer

Scores habits (adherence, consistency, streak momentum, lapse risk, next-best actions, weekly plans) and recurring tasks, jobs or
pipelines (success rate, error-budget burn, severity, remediation). Reads only the summaries in the request body, keeps none of them.
Without a payment every paid address answers 402 with the price and a free verdict on the body (extensions.preflight).
As tools: MCP over streamable HTTP at ${baseUrl}/mcp

## Prices

One price per request, for 1 to ${MAX_ITEMS} items. Paid in ${assetName} (${asset}) on ${chain.caip2} to ${payTo}
Digest of everything for sale: ${offerDigest}

${PAID_ENDPOINTS.map((endpoint) => `- POST ${endpoint.path} ${decimalPrice(endpoint)} USD. ${endpoint.headerDescription}`).join('\n')}

## How to pay

1. Ask. The answer is 402; header PAYMENT-REQUIRED is base64 of the offer, x402 version 2; the body is the offer in version 1.

\`\`\`http
${requestText(tried, baseUrl)}
\`\`\`

2. Sign the offer: scheme exact, EIP-3009 TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256
   validBefore,bytes32 nonce), EIP-712 domain {name "${assetName}", version "${assetVersion}", chainId ${chain.chainId}, verifyingContract ${asset}}, to
   ${payTo}, value ${tried.priceMicros}, valid for at most ${maxTimeoutSeconds} s, nonce of 32 random bytes.
3. Repeat the identical request with base64 of
   {"x402Version":1,"scheme":"exact","network":"${chain.shortName}","payload":{"signature":"0x...","authorization":{"from":"0x...",
   "to":"${payTo}","value":"${tried.priceMicros}","validAfter":"0","validBefore":"<Unix seconds>","nonce":"0x..."}}}
   in X-PAYMENT. Every member of authorization is a string, value and times of decimal digits: a JSON number is refused.
   Version 2 payloads and the header PAYMENT-SIGNATURE are taken too. Any x402 client does steps 2 and 3: register its version 2
   scheme (Go, Rust: one with version 1 alone reads the version 2 header and cannot pay).

\`\`\`http
${requestText(tried, baseUrl, PAYMENT_PLACE)}
\`\`\`

The answer is 200 with the result; header PAYMENT-RESPONSE is base64 of the receipt. The same payment with the same request is never
charged twice: ${repeatText(config)}. Pay with POST; GET answers 402 and takes no payment.
Other bodies: replace the body and Content-Length.

## Rebate

${REBATE_TIERS.slice(1)
  .map(
    ({ fromMicros, ratePercent, rateLimitMultiplier }) =>
      `${ratePercent}% from ${fromMicros / MICROS_PER_USD} USD (limit x${rateLimitMultiplier})`,
  )
  .join(', ')} of settled spend per wallet.
Paid as single-use call credits of ${usdAmount(CREDIT_FACE_MICROS).usd_exact.replace(/0{1,4}$/, '')} USD: rebate_earned.credit_token in a result, sent as ${REDEEM_HEADER} it pays for any one call.
GET /agent/v1/pricing?wallet=0x... shows the status of a wallet.

## Errors

JSON: error (code), message, details {charged, retry}. retry says what helps: fix_request (400, 413, 415), retry_same (429, 500, 502,
after Retry-After: the identical request with the same payment), pay_again (402: sign again), do_not_retry.
A 402 after a payment says in error what is wrong with it: valid less than 6 s (authorization_expired), more than ${maxTimeoutSeconds + MAX_SECONDS_LONGER} s
(authorization_valid_too_long), from more than 30 s in the future (authorization_not_yet_valid), and so on.
charged is false, or null when it is not known: then GET /agent/v1/payments/{nonce} tells. Every code: ${baseUrl}/docs/errors

## Limits

${MAX_ITEMS} items, ${MAX_BODY_BYTES} bytes, an answer within ${PAID_ANSWER_BUDGET_MS} ms, ${rates.agentWallet.limit} paid calls in ${rates.agentWallet.windowSeconds} s per wallet. horizon_days 7 to 180.

## Links

- [Prices](${baseUrl}/agent/v1/pricing): rebate, limits, standing of a wallet
- [OpenAPI](${baseUrl}/openapi.json): every route with schemas and examples
- [Reference](${baseUrl}/docs): the same for people
- [Capabilities](${baseUrl}/v1/capabilities): with complete schemas
- [Listing](${baseUrl}/.well-known/x402.json): x402, all offers
- [Golden vectors](${baseUrl}/agent/v1/vectors): compute any answer again
- [Health](${baseUrl}/health): the process answers
`;
}

/** What the same payment with the same request gets (docs/protocol.md, "The same payment again"). */
function repeatText({ PAYMENT_REPLAY, PAYMENT_REPLAY_TTL_SECONDS }: AgentGatewayConfig): string {
  const replay = `it gets the same answer for ${PAYMENT_REPLAY_TTL_SECONDS} s`;
  return {
    identical: replay,
    keyed: `${replay} if both carry one Idempotency-Key or a payment-identifier`,
    off: 'after its answer it is refused (402 payment_already_used)',
  }[PAYMENT_REPLAY];
}

/** A call as it goes over the wire. @param payment value of `X-PAYMENT` */
function requestText(endpoint: PaidEndpoint, baseUrl: string, payment?: string): string {
  const body = JSON.stringify(endpoint.exampleInput);
  return [
    `${endpoint.method} ${endpoint.path} HTTP/1.1`,
    `Host: ${new URL(baseUrl).host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(payment === undefined ? [] : [`X-PAYMENT: ${payment}`]),
    '',
    body,
  ].join('\n');
}
