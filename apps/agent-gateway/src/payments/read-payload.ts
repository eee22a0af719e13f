import { randomInt } from 'node:crypto';
import { canonicalJson } from '../calls/canonical-json';
import { invalidPaymentPayload } from '../calls/payment-refused';

export type Members = Record<string, unknown>;

export interface ReadPayload {
  /** Parts of it are shared with other payments: not to be written to. */
  members: Members;
  /** Canonical JSON of it with all hex in lower case. */
  canonical: string;
}

/** A payload without its signed part: in version 2 a copy of our own challenge, call after call. */
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
/** The signed part as clients write it: flat and without escapes, so that it ends where it seems to. */
const SIGNED =
  /"payload":(\{"authorization":\{[^{}[\]\\]*\},"signature":"\w*"\}|\{"signature":"\w*","authorization":\{[^{}[\]\\]*\}\})/;
/** Stands for the signed part. Random, so that no sender can put it anywhere himself. */
const HOLE = randomInt(2 ** 47);

/** Compared one by one: to find one in a map, the whole text would be hashed, which costs ten times as much. */
let frames: Frame[] = [];

/**
 * Parses the text of a payment header. What surrounds the signed part is read once and then recognised: it is most of
 * the text, and reading it anew would be the dearest step of our own in a paid call.
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
