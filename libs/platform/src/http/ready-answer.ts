import { validateHeaderName, validateHeaderValue } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** An answer that many requests get: its headers are checked and put into words once. */
export class ReadyAnswer {
  /** The lines of its own headers and of its length. */
  readonly lines: string;

  /** @param text ASCII only, so that its length is its bytes */
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {
    this.lines = headerLines({ ...headers, 'content-length': String(text.length) });
  }
}

/** @throws TypeError for a name or a value that HTTP does not allow */
export function headerLines(headers: Headers): string {
  let lines = '';
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
