import type { ReadOptions } from '@evenkeel/habit-files';
import { DomainError, localDate } from '@evenkeel/kernel';
import { PayloadTooLarge, UnsupportedMediaType } from '@evenkeel/platform/http';
import { ValidationFailed } from '@evenkeel/platform/validation';
import type { AccountUser } from '../users/account-user';

export const MAX_FILE_BYTES = 10_485_760;
/** The bytes that a form adds to its file: boundaries and heads of parts. */
export const MAX_FORM_BYTES = MAX_FILE_BYTES + 65_536;

const FIELD = 'file';
const MOST_PARTS = 12;
const LONGEST_HEAD = 4_096;

class MalformedForm extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'validation_failed';
  constructor() {
    super('The body is not the form that its Content-Type announces.');
  }
}

/**
 * The bytes of the one file of a form with the field `file`. The whole body is there already, so it is taken apart at once: a
 * form that is none can keep nobody waiting.
 * @throws UnsupportedMediaType, PayloadTooLarge, MalformedForm, ValidationFailed
 * @see RFC 7578, RFC 2046 section 5.1
 */
export function receiveFile(body: Buffer | undefined, contentType: string | undefined): Buffer {
  if (contentType === undefined || !/^multipart\/form-data\s*;/i.test(contentType)) {
    throw new UnsupportedMediaType('The body must be multipart/form-data with a file in the field file.');
  }
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new MalformedForm();
  const files = partsOf(body ?? Buffer.alloc(0), boundary).filter(isTheFile);
  const [file] = files;
  const said = !file ? (['required', 'is required'] as const) : (['too_many_items', 'must be one file'] as const);
  if (!file || files.length > 1) throw new ValidationFailed([{ path: `/${FIELD}`, code: said[0], message: said[1] }]);
  if (file.content.length > MAX_FILE_BYTES) throw new PayloadTooLarge({ max_bytes: MAX_FILE_BYTES }, 'file');
  return file.content;
}

interface Part {
  /** Its header lines. */
  head: string;
  content: Buffer;
}

/** The parts between the delimiters; bytes before the first and behind the last are ignored. */
function partsOf(body: Buffer, boundary: string): Part[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const parts: Part[] = [];
  const opening = delimiter.subarray(2);
  let at = body.subarray(0, opening.length).equals(opening) ? opening.length : behind(body, delimiter, 0);
  while (body.toString('latin1', at, at + 2) !== '--') {
    const lineEnd = body.indexOf('\r\n', at);
    const isLine = lineEnd >= at && /^[ \t]*$/.test(body.toString('latin1', at, Math.min(lineEnd, at + LONGEST_HEAD)));
    if (!isLine || parts.length === MOST_PARTS) throw new MalformedForm();
    const headEnd = body.indexOf('\r\n\r\n', lineEnd);
    const next = behind(body, delimiter, lineEnd);
    const end = next - delimiter.length;
    if (headEnd < 0 || headEnd > lineEnd + LONGEST_HEAD || headEnd + 4 > end + 2) throw new MalformedForm();
    parts.push({ head: body.toString('utf8', lineEnd, headEnd), content: body.subarray(headEnd + 4, end) });
    at = next;
  }
  return parts;
}

function behind(body: Buffer, delimiter: Buffer, from: number): number {
  const found = body.indexOf(delimiter, from);
  if (found < 0) throw new MalformedForm();
  return found + delimiter.length;
}

/** A field of text has no name of a file. */
function isTheFile({ head }: Part): boolean {
  const [, disposition = ''] = /^content-disposition:[ \t]*form-data[ \t]*(;.*)$/im.exec(head) ?? [];
  return new RegExp(`;\\s*name="?${FIELD}"?\\s*(;|$)`, 'i').test(disposition) && /;\s*filename\*?=/i.test(disposition);
}

/** Somewhere it is already tomorrow. */
const AHEAD_MS = 14 * 3_600_000;

/** The days of a person. The last one of a file is today; without a zone, today wherever they may be. */
export function readOptionsOf({ timezone, dayStartMinutes, weekStart }: AccountUser, now: Date): ReadOptions {
  const lastInstant = new Date(now.getTime() + AHEAD_MS).toISOString();
  const lastDay = timezone === null ? lastInstant.slice(0, 10) : localDate(now, timezone, dayStartMinutes);
  return { lastDay, lastInstant, timezone, dayStartMinutes, weekStart };
}
