import { randomInt } from 'node:crypto';
import { canonicalJson } from '../calls/canonical-json';
import { invalidPaymentPayload } from '../calls/payment-refused';

export type Members = Record<string, unknown>;

export interface ReadPayload {
  /** Read-only: parts are shared with other payments. */
  members: Members;
  /** Canonical JSON of the members, all hex in lower case. */
  canonical: string;
}

/** A payload without its signed part. In version 2 it copies our own challenge, so it is the same in many calls. */
interface Frame {
  members: Members;
  /** Canonical text before and after the signed part. */
  before: string;
  after: string;
}

/** Version 2 clients send our own discovery schema back, which alone is 13 levels deep. */
const MAX_DEPTH = 16;
const MAX_FRAMES = 100;
const HEX = /^0x[0-9a-fA-F]*$/;
/** The signed part as clients write it: flat and without escapes, so that it ends where it seems to. */
const SIGNED =
  /"payload":(\{"authorization":\{[^{}[\]\\]*\},"signature":"\w*"\}|\{"signature":"\w*","authorization":\{[^{}[\]\\]*\}\})/;
/** Stands for the signed part. Random, so that no sender can write it into a payload. */
const HOLE = randomInt(2 ** 47);

const frames = new Map<string, Frame>();

/**
 * Parses the text of a payment header. The text around the signed part is parsed once and then recognised: it is most of
 * the header, and parsing it again would be the most expensive step of our own in a paid call.
 * @throws PaymentRefused `invalid_payment_payload`
 */
export function readPayload(text: string): ReadPayload {
  const [found, signed] = SIGNED.exec(text) ?? [];
  const frame = found === undefined ? null : frameOf(text.replace(found, `"payload":${HOLE}`));
  if (!frame) {
    const members = parsed(text);
    return { members, canonical: canonical(members) };
  }
  const payload = parsed(signed!);
  return {
    members: { ...frame.members, payload },
    canonical: `${frame.before}${canonical(payload)}${frame.after}`,
  };
}

/** Null when the part that was cut out is not the payload: a nested member of that name, or not the last one of that name. */
function frameOf(text: string): Frame | null {
  const known = frames.get(text);
  if (known) return known;
  const members = parsed(text);
  if (members['payload'] !== HOLE) return null;
  const [before = '', after = ''] = canonical(members).split(String(HOLE));
  if (frames.size >= MAX_FRAMES) frames.clear();
  const frame = { members, before, after };
  frames.set(text, frame);
  return frame;
}

function parsed(text: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidPaymentPayload('the payment header is not base64 of JSON');
  }
  if (isDeeperThan(value, MAX_DEPTH)) throw invalidPaymentPayload('the payment header is nested too deep');
  return membersOf(value, 'the payment header');
}

/** @throws PaymentRefused `invalid_payment_payload` when it is no object */
export function membersOf(value: unknown, name: string): Members {
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
