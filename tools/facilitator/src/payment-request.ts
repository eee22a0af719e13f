import type { Address, Hex } from 'viem';
import type { Authorization } from './token';

/** x402 protocol version in which a request is worded. */
export type X402Version = 1 | 2;

/** The body of verify and of settle, in either version. */
export interface PaymentRequest {
  x402Version: X402Version;
  /** Scheme and network that the payer states. */
  scheme: string;
  network: string;
  authorization: Authorization;
  signature: Hex;
  requirements: Requirements;
}

interface Requirements {
  scheme: string;
  network: string;
  amount: bigint;
  asset: Address;
  payTo: Address;
  /** EIP-712 domain of the token, as the seller states it. */
  domain: { name?: unknown; version?: unknown };
}

/** Thrown where a payment is found wanting; the answer is made from it. */
export class PaymentRefused extends Error {
  /** @param status facilitators answer a request that they cannot read with 400, and a bad payment with 200 */
  constructor(
    readonly reason: string,
    readonly status: 200 | 400 = 200,
  ) {
    super(reason);
  }
}

const BAD_PAYLOAD = 'invalid_payload';
const BAD_REQUIREMENTS = 'invalid_payment_requirements';

const TEXT = /^/;
const HEX = /^0x([0-9a-f]{2})*$/i;
const BYTES32 = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const UINT256 = /^\d{1,78}$/;
/** Longer descriptions are refused by one large facilitator. */
const DESCRIPTION = /^[^]{0,500}$/;

/** @throws PaymentRefused when a member is missing or has another form */
export function readPaymentRequest(body: unknown): PaymentRequest {
  const { x402Version, paymentPayload, paymentRequirements } = objectOf(body, BAD_PAYLOAD);
  const stated = objectOf(paymentPayload, BAD_PAYLOAD);
  if ((x402Version !== 1 && x402Version !== 2) || stated['x402Version'] !== x402Version) {
    throw new PaymentRefused('invalid_x402_version', 400);
  }
  const chosen = textsOf(x402Version === 2 ? stated['accepted'] : stated, BAD_PAYLOAD);
  const signed = objectOf(stated['payload'], BAD_PAYLOAD);
  return {
    x402Version,
    scheme: chosen('scheme'),
    network: chosen('network'),
    signature: textsOf(signed, BAD_PAYLOAD)('signature', HEX).toLowerCase() as Hex,
    authorization: readAuthorization(signed['authorization']),
    requirements: readRequirements(paymentRequirements, x402Version),
  };
}

/** Reads the signed members, decimal strings and hex of JSON. */
export function readAuthorization(authorization: unknown): Authorization {
  const text = textsOf(authorization, BAD_PAYLOAD);
  return {
    from: text('from', ADDRESS) as Address,
    to: text('to', ADDRESS) as Address,
    value: BigInt(text('value', UINT256)),
    validAfter: BigInt(text('validAfter', UINT256)),
    validBefore: BigInt(text('validBefore', UINT256)),
    nonce: text('nonce', BYTES32).toLowerCase() as Hex,
  };
}

function readRequirements(value: unknown, x402Version: X402Version): Requirements {
  const text = textsOf(value, BAD_REQUIREMENTS);
  const { maxTimeoutSeconds, extra } = objectOf(value, BAD_REQUIREMENTS);
  if (!Number.isInteger(maxTimeoutSeconds)) throw new PaymentRefused(BAD_REQUIREMENTS, 400);
  if (x402Version === 1) {
    // Version 1 requirements also describe the resource, and are refused when that part is wrong.
    text('mimeType');
    text('description', DESCRIPTION);
    if (!URL.canParse(text('resource'))) throw new PaymentRefused(BAD_REQUIREMENTS, 400);
  }
  return {
    scheme: text('scheme'),
    network: text('network'),
    amount: BigInt(text(x402Version === 1 ? 'maxAmountRequired' : 'amount', UINT256)),
    asset: text('asset', ADDRESS) as Address,
    payTo: text('payTo', ADDRESS) as Address,
    domain: objectOf(extra ?? {}, BAD_REQUIREMENTS),
  };
}

function objectOf(value: unknown, reason: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new PaymentRefused(reason, 400);
  return value as Record<string, unknown>;
}

/** Reads members that are texts; what is missing or has another form is refused for this reason. */
function textsOf(value: unknown, reason: string): (name: string, form?: RegExp) => string {
  const members = objectOf(value, reason);
  return (name, form = TEXT) => {
    const text = members[name];
    if (typeof text !== 'string' || !form.test(text)) throw new PaymentRefused(reason, 400);
    return text;
  };
}
