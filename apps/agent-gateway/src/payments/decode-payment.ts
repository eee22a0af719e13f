import { hash } from 'node:crypto';
import type { Authorization, Payment } from '../calls/payment';
import { invalidPaymentPayload } from '../calls/payment-refused';
import { membersOf, readPayload, type Members } from './read-payload';

const MAX_HEADER_CHARACTERS = 8 * 1024;
/** What fits into such a header. */
const MAX_PAYLOAD_CHARACTERS = (MAX_HEADER_CHARACTERS / 4) * 3;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NONCE = /^0x[0-9a-fA-F]{64}$/;
const DIGITS = /^(0|[1-9][0-9]{0,77})$/;
/** Up to 4 KB: smart-account signatures are longer than the 65 bytes of a key. */
const SIGNATURE = /^0x([0-9a-fA-F]{2}){65,4096}$/;

/**
 * Reads a payment header of either protocol version; the version is the payload's own, whatever header carried it.
 * @throws PaymentRefused `invalid_payment_payload`
 */
export function decodePayment(header: string): Payment {
  return decodePayload(textOf(header));
}

/**
 * The same for a payment that comes as an object, in the parameters of an MCP call.
 * @throws PaymentRefused `invalid_payment_payload`
 */
export function decodePaymentObject(payload: object): Payment {
  const json = JSON.stringify(payload);
  if (json.length > MAX_PAYLOAD_CHARACTERS) throw invalidPaymentPayload('the payment is longer than 6 KB');
  return decodePayload(json);
}

function decodePayload(json: string): Payment {
  const { members: decoded, canonical } = readPayload(json);
  const version = decoded['x402Version'];
  if (version !== 1 && version !== 2) throw invalidPaymentPayload('x402Version must be 1 or 2');

  const accepted = version === 2 ? membersOf(decoded['accepted'], 'accepted') : null;
  const offer = accepted ?? decoded;
  const payload = membersOf(decoded['payload'], 'payload');
  const authorization = authorizationOf(payload);
  const signature = text(payload, 'signature', SIGNATURE);
  return {
    version,
    scheme: wordOf(offer['scheme']),
    network: wordOf(offer['network']),
    authorization,
    signature,
    payer: authorization.from.toLowerCase(),
    nonce: authorization.nonce.toLowerCase(),
    accepted: accepted && { asset: accepted['asset'], payTo: accepted['payTo'], amount: accepted['amount'] },
    identifier: identifierOf(decoded),
    // Of all there is in the payload, whatever the case of its hex and the order of its members.
    digest: hash('sha256', canonical),
  };
}

function textOf(header: string): string {
  if (header.length > MAX_HEADER_CHARACTERS) throw invalidPaymentPayload('the payment header is longer than 8 KB');
  const bytes = Buffer.from(header, 'base64');
  // What is no base64 is skipped: there are fewer bytes then than so many characters stand for.
  if (bytes.length === 0 || bytes.length !== bytesIn(header)) {
    throw invalidPaymentPayload('the payment header is not base64');
  }
  return bytes.toString('utf8');
}

/** NaN for a length that no base64 has. */
function bytesIn(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : Number(base64.endsWith('='));
  const digits = base64.length - padding;
  return digits % 4 === 1 ? NaN : Math.floor((digits * 3) / 4);
}

function authorizationOf(payload: Members): Authorization {
  const signed = membersOf(payload['authorization'], 'payload.authorization');
  return {
    from: text(signed, 'from', ADDRESS),
    to: text(signed, 'to', ADDRESS),
    value: text(signed, 'value', DIGITS),
    validAfter: text(signed, 'validAfter', DIGITS),
    validBefore: text(signed, 'validBefore', DIGITS),
    nonce: text(signed, 'nonce', NONCE),
  };
}

function text(holder: Members, name: string, form: RegExp): string {
  const value = holder[name];
  if (typeof value === 'string' && form.test(value)) return value;
  throw invalidPaymentPayload(`${name} is missing or malformed`);
}

/** What is no text is no name we know; the check of the terms says so. */
function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Outside its documented length an identifier is ignored, not refused. */
function identifierOf(decoded: Members): string | null {
  const extensions = decoded['extensions'] as { 'payment-identifier'?: { info?: { id?: unknown } } } | null | undefined;
  const id = extensions?.['payment-identifier']?.info?.id;
  return typeof id === 'string' && id.length >= 16 && id.length <= 128 && !id.includes('\0') ? id : null;
}
