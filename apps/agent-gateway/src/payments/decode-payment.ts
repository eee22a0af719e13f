import { hash, randomInt } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { assertIdempotencyKey } from '@evenkeel/platform/validation';
import { type Authorization, canonicalJson, invalidPaymentPayload, type Payment } from '../calls/payment';
import type { PaymentInstrument } from './pay';

/** As long as all headers of a request may be together: a version 2 payment with the longest signature has 15.5 KB. */
const MAX_HEADER_CHARACTERS = 16 * 1024;
/** The longest payload that fits into such a header. */
const MAX_PAYLOAD_CHARACTERS = (MAX_HEADER_CHARACTERS / 4) * 3;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NONCE = /^0x[0-9a-fA-F]{64}$/;
const DIGITS = /^(0|[1-9][0-9]{0,77})$/;
/** Up to 4 KB: smart-account signatures are longer than the 65 bytes of a key. */
const SIGNATURE = /^0x([0-9a-fA-F]{2}){65,4096}$/;

/** The header with the payment, of either protocol version; `X-PAYMENT` wins when both are sent. */
export function paymentHeader(headers: IncomingHttpHeaders): string | null {
  return textOf(headers['x-payment']) ?? textOf(headers['payment-signature']);
}

export function creditHeader(headers: IncomingHttpHeaders): string | null {
  return textOf(headers['x-agent-credit']);
}

export function isUnpaid(headers: IncomingHttpHeaders): boolean {
  return paymentHeader(headers) === null && creditHeader(headers) === null;
}

export function instrumentIn(headers: IncomingHttpHeaders): PaymentInstrument {
  const payment = paymentHeader(headers);
  return { credit: creditHeader(headers), payment: payment === null ? null : () => decodePayment(payment) };
}

/** @throws ValidationFailed for a key outside its documented form */
export function idempotencyKey(headers: IncomingHttpHeaders): string | null {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return null;
  assertIdempotencyKey(key);
  return key;
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' && header !== '' ? header : null;
}

/** Of either protocol version, which the payload states. @throws PaymentRefused `invalid_payment_payload` */
export function decodePayment(header: string): Payment {
  return decodePayload(fromBase64(header));
}

/** The same for a payment that comes as an object, in the parameters of an MCP call. */
export function decodePaymentObject(payload: object): Payment {
  const json = JSON.stringify(payload);
  if (json.length > MAX_PAYLOAD_CHARACTERS) throw invalidPaymentPayload('the payment is longer than 12 KB');
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
  const signature = matching(payload, 'signature', SIGNATURE);
  return {
    version,
    scheme: textOrEmpty(offer['scheme']),
    network: textOrEmpty(offer['network']),
    authorization,
    signature,
    payer: authorization.from.toLowerCase(),
    nonce: authorization.nonce.toLowerCase(),
    accepted: accepted && { asset: accepted['asset'], payTo: accepted['payTo'], amount: accepted['amount'] },
    identifier: identifierOf(decoded),
    // Covers every member of the payload. The case of hex and the order of members do not change it.
    digest: hash('sha256', canonical),
  };
}

function fromBase64(header: string): string {
  if (header.length > MAX_HEADER_CHARACTERS) throw invalidPaymentPayload('the payment is longer than 16 KB');
  const bytes = Buffer.from(header, 'base64');
  // Node skips characters that are not base64, so there are fewer bytes than the length of the text implies.
  if (bytes.length === 0 || bytes.length !== bytesIn(header)) {
    throw invalidPaymentPayload('the payment is not base64');
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
    from: matching(signed, 'from', ADDRESS),
    to: matching(signed, 'to', ADDRESS),
    value: matching(signed, 'value', DIGITS),
    validAfter: matching(signed, 'validAfter', DIGITS),
    validBefore: matching(signed, 'validBefore', DIGITS),
    nonce: matching(signed, 'nonce', NONCE),
  };
}

function matching(members: Members, name: string, form: RegExp): string {
  const value = members[name];
  if (typeof value === 'string' && form.test(value)) return value;
  if (typeof value === 'number' && form === DIGITS) {
    throw invalidPaymentPayload(`${name} is a JSON number; it must be a string of decimal digits, such as "30000"`);
  }
  throw invalidPaymentPayload(`${name} is missing or malformed`);
}

/** Empty for a value of another type; `checkScheme` refuses that as an unknown name. */
function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Null for an identifier outside its documented length: it is ignored, not refused. */
function identifierOf(decoded: Members): string | null {
  const extensions = decoded['extensions'] as { 'payment-identifier'?: { info?: { id?: unknown } } } | null | undefined;
  const id = extensions?.['payment-identifier']?.info?.id;
  return typeof id === 'string' && id.length >= 16 && id.length <= 128 && !id.includes('\0') ? id : null;
}

type Members = Record<string, unknown>;

interface ReadPayload {
  /** Read-only: parts are shared with other payments. */
  members: Members;
  /** Canonical JSON of the members, all hex in lower case. */
  canonical: string;
}

/** A payload without its signed part. In version 2 it copies our own challenge, so it is the same in many calls. */
interface Frame {
  /** Text before and after the signed part, as it came. */
  start: string;
  end: string;
  members: Members;
  /** Canonical text before and after the signed part. */
  before: string;
  after: string;
}

/** Version 2 clients send our own discovery schema back, which alone is 13 levels deep. */
const MAX_DEPTH = 16;
const MAX_FRAMES = 100;
const HEX = /^0x[0-9a-fA-F]*$/;
/** The signed part as clients write it: flat and without escapes, so that its end is certain. */
const SIGNED =
  /"payload":(\{"authorization":\{[^{}[\]\\]*\},"signature":"\w*"\}|\{"signature":"\w*","authorization":\{[^{}[\]\\]*\}\})/;
/** Placeholder for the signed part. Random, so that no sender can write it into a payload. */
const HOLE = randomInt(2 ** 47);

/** Compared one by one: to find one in a map, the whole text would be hashed, which costs ten times as much. */
let frames: Frame[] = [];

/**
 * Parses the text of a payment header. The text around the signed part is parsed once and then recognised: it is most of
 * the header, and parsing it again would be the most expensive step of our own in a paid call.
 * @throws PaymentRefused `invalid_payment_payload`
 */
export function readPayload(text: string): ReadPayload {
  const match = SIGNED.exec(text);
  const frame = match && frameOf(text.slice(0, match.index), text.slice(match.index + match[0].length));
  if (!frame) {
    const members = parsed(text);
    return { members, canonical: canonical(members) };
  }
  const payload = parsed(match[1]!);
  return {
    members: { ...frame.members, payload },
    canonical: `${frame.before}${canonical(payload)}${frame.after}`,
  };
}

/** Null when the part that was cut out was not the payload: one of that name further in, or not the last of that name. */
function frameOf(start: string, end: string): Frame | null {
  const known = frames.find((frame) => frame.end === end && frame.start === start);
  if (known) return known;
  const members = parsed(`${start}"payload":${HOLE}${end}`);
  if (members['payload'] !== HOLE) return null;
  const [before = '', after = ''] = canonical(members).split(String(HOLE));
  if (frames.length >= MAX_FRAMES) frames = [];
  const frame = { start, end, members, before, after };
  frames.push(frame);
  return frame;
}

function parsed(text: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidPaymentPayload('the payment is not base64 of JSON');
  }
  if (isDeeperThan(value, MAX_DEPTH)) throw invalidPaymentPayload('the payment is nested too deep');
  return membersOf(value, 'the payment');
}

/** @throws PaymentRefused `invalid_payment_payload` when it is no object */
function membersOf(value: unknown, name: string): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw invalidPaymentPayload(`${name} must be a JSON object`);
}

function canonical(members: Members): string {
  try {
    return canonicalJson(members, lowerCaseHex);
  } catch {
    throw invalidPaymentPayload('a number is too large');
  }
}

function lowerCaseHex(text: string): string {
  return HEX.test(text) ? text.toLowerCase() : text;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((inner) => isDeeperThan(inner, depth - 1));
}
