import { STATUS_CODES, validateHeaderName, validateHeaderValue, type ServerResponse } from 'node:http';

type Headers = Readonly<Record<string, string>>;

const NOT_STORED = 'cache-control: no-store\r\n';

/** An answer without what depends on its request. */
export interface TextAnswer {
  /** Of HTTP, 100 to 599. */
  status: number;
  /** The lines of its own headers and of its length. */
  lines: string;
  /** Its bytes, each as one character. */
  text: string;
}

const JSON_LINES = `content-type: application/json; charset=utf-8\r\n${NOT_STORED}`;

/** A value as JSON with 200. No cache may store it. */
export function jsonAnswer(value: object): TextAnswer {
  const text = bytesAsCharacters(JSON.stringify(value));
  return { status: 200, lines: `${JSON_LINES}content-length: ${text.length}\r\n`, text };
}

/** Most texts are ASCII, which stays as it is. */
export function bytesAsCharacters(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}

/** An answer whose headers are checked and written as text once, when many requests get it. */
export class ReadyAnswer implements TextAnswer {
  readonly lines: string;

  /**
   * @param status of HTTP, 100 to 599
   * @param headers when they do not have `Cache-Control`, no cache may store the answer
   * @param text its bytes, each as one character
   * @throws TypeError for a header that HTTP does not allow
   */
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {
    const ownCaching = Object.keys(headers).some((name) => name.toLowerCase() === 'cache-control');
    this.lines = `${headerLines(headers)}${ownCaching ? '' : NOT_STORED}content-length: ${text.length}\r\n`;
  }
}

/** @throws TypeError for a name or a value that HTTP does not allow */
export function headerLines(headers: Headers): string {
  for (const name of Object.keys(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, headers[name]!);
  }
  return uncheckedLines(headers);
}

/** The same for headers that hold nothing from outside: a check of each value costs as much as its line. */
export function uncheckedLines(headers: Headers): string {
  let lines = '';
  for (const name of Object.keys(headers)) lines += `${name}: ${headers[name]!}\r\n`;
  return lines;
}

/** Idle connections stay open longer than a balancer in front keeps them. */
export const KEEP_ALIVE_MS = 65_000;

const CLOSE = 'connection: close\r\n';
const KEEP = `connection: keep-alive\r\nkeep-alive: timeout=${KEEP_ALIVE_MS / 1_000}\r\n`;

/** Members of Node's own answer that are not part of its documented interface; text-answers.int.spec.ts watches them. */
interface UnsentAnswer {
  /** The head, as Node will write it. */
  _header: string;
  /** The connection closes after this answer. Node sets it itself when the other side has closed its direction. */
  _last: boolean;
}

/**
 * Sends an answer that is already text, in one write. `writeHead` would look at each of some thousand characters of the
 * headers again for every request, and `end` would gather head and body into a third buffer (docs/adr/0008).
 * @param lines headers, each with its line end, without `Date` and those of the connection
 * @param body its bytes, each as one character
 * @param afterwards done once all answers of this turn of the event loop are written
 */
export function sendText(
  response: ServerResponse,
  status: number,
  lines: string,
  body: string,
  afterwards?: () => void,
): void {
  const unsent = response as unknown as UnsentAnswer;
  unsent._last ||= !response.shouldKeepAlive;
  const connection = unsent._last ? CLOSE : KEEP;
  response.statusCode = status;
  unsent._header = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}date: ${date()}\r\n${connection}\r\n${body}`;
  endThisTurn({ response, afterwards });
}

let dateSecondMs = 0;
let dateText = '';

/** Formatted once a second. */
function date(): string {
  const now = Date.now();
  if (now - dateSecondMs >= 1_000) {
    dateSecondMs = now - (now % 1_000);
    dateText = new Date(now).toUTCString();
  }
  return dateText;
}

interface Unended {
  response: ServerResponse;
  afterwards?: () => void;
}

let unended: Unended[] = [];

/**
 * Ends an answer when all requests of this turn of the event loop have been read. A write to a reader that sleeps must
 * wake it, which costs a fifth of a short answer; a reader that is awake gets the other answers of the turn as well.
 * @see Redis, `handleClientsWithPendingWrites`
 */
function endThisTurn(answer: Unended): void {
  if (unended.push(answer) === 1) setImmediate(endAll);
}

function endAll(): void {
  const answers = unended;
  unended = [];
  for (const { response } of answers) response.end();
  for (const { afterwards } of answers) afterwards?.();
}
