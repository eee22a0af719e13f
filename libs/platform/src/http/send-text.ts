import { STATUS_CODES, type ServerResponse } from 'node:http';
import { KEEP_ALIVE_MS } from './http-server';
import { leaveTogether } from './leave-together';

/** What Node calls the head of an answer before it is sent; the same on every version since the first. */
interface Headed {
  _header: string;
  /** The connection closes after this answer. Node says so itself when the other side has closed its direction. */
  _last: boolean;
}

const CLOSE = 'connection: close\r\n';
const KEEP = `connection: keep-alive\r\nkeep-alive: timeout=${KEEP_ALIVE_MS / 1_000}\r\n`;

/**
 * Sends an answer that is already text, in one write. `writeHead` would look at each of some thousand characters of a
 * challenge again for every request, and `end` would gather head and body into a third buffer (docs/adr/0008).
 * @param lines headers, each with its line end, without `Date` and those of the connection
 * @param body its bytes, each as one character
 */
export function sendText(response: ServerResponse, status: number, lines: string, body: string): void {
  const headed = response as unknown as Headed;
  headed._last ||= !response.shouldKeepAlive;
  const connection = headed._last ? CLOSE : KEEP;
  response.statusCode = status;
  headed._header = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}date: ${date()}\r\n${connection}\r\n${body}`;
  leaveTogether(response);
}

let asOf = 0;
let text = '';

/** Put into words once a second. */
function date(): string {
  const now = Date.now();
  if (now - asOf >= 1_000) {
    asOf = now - (now % 1_000);
    text = new Date(now).toUTCString();
  }
  return text;
}
