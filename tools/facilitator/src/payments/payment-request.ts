import type { Address, Hex } from 'viem';
import type { Authorization } from '../chain/token';
import { Members, type Refuse } from '../http/members';
import { PaymentRefused, type Fault, type X402Version } from './refusal';

/** The body of verify and of settle, in either x402Version. */
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
  domain: { name?: string; version?: string };
}

/** Longer descriptions are refused by one large facilitator. */
const MAX_DESCRIPTION = 500;

/** @throws PaymentRefused when a member is missing or has another form */
export function readPaymentRequest(body: unknown): PaymentRequest {
  const request = new Members(body, refuseWith('payload'));
  const x402Version = request.get('x402Version');
  if (x402Version !== 1 && x402Version !== 2) throw new PaymentRefused('version');
  const payload = request.object('paymentPayload');
  if (payload.get('x402Version') !== x402Version) throw new PaymentRefused('version');

  const signed = payload.object('payload');
  const chosen = x402Version === 2 ? payload.object('accepted') : payload;
  return {
    x402Version,
    scheme: chosen.text('scheme'),
    network: chosen.text('network'),
    signature: signed.hex('signature'),
    authorization: readAuthorization(signed.object('authorization')),
    requirements: readRequirements(
      new Members(request.get('paymentRequirements'), refuseWith('requirements')),
      x402Version,
    ),
  };
}

/** Reads the signed members, decimal strings and hex of JSON. */
export function readAuthorization(authorization: Members): Authorization {
  return {
    from: authorization.address('from'),
    to: authorization.address('to'),
    value: authorization.uint256('value'),
    validAfter: authorization.uint256('validAfter'),
    validBefore: authorization.uint256('validBefore'),
    nonce: authorization.hex('nonce', 32),
  };
}

function readRequirements(requirements: Members, x402Version: X402Version): Requirements {
  requirements.positiveInteger('maxTimeoutSeconds');
  if (x402Version === 1) checkListing(requirements);
  return {
    scheme: requirements.text('scheme'),
    network: requirements.text('network'),
    amount: requirements.uint256(x402Version === 1 ? 'maxAmountRequired' : 'amount'),
    asset: requirements.address('asset'),
    payTo: requirements.address('payTo'),
    domain: requirements.has('extra') ? readDomain(requirements.object('extra')) : {},
  };
}

function readDomain(extra: Members): Requirements['domain'] {
  return {
    name: extra.has('name') ? extra.text('name') : undefined,
    version: extra.has('version') ? extra.text('version') : undefined,
  };
}

/** Version 1 requirements also describe the resource, and are refused when that part is wrong. */
function checkListing(requirements: Members): void {
  requirements.text('mimeType');
  if (requirements.has('outputSchema')) requirements.object('outputSchema');
  const listed =
    URL.canParse(requirements.text('resource')) && requirements.text('description').length <= MAX_DESCRIPTION;
  if (!listed) throw new PaymentRefused('requirements');
}

function refuseWith(fault: Fault): Refuse {
  return () => {
    throw new PaymentRefused(fault);
  };
}
