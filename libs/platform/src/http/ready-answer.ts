import { validateHeaderName, validateHeaderValue } from 'node:http';

type Headers = Readonly<Record<string, string>>;

const NOT_KEPT = 'cache-control: no-store\r\n';

/** An answer whose headers are checked and in words: once, when many requests get it. */
export class ReadyAnswer {
  /** The lines of its own headers and of its length. */
  readonly lines: string;

  /**
   * @param headers when they say nothing of `Cache-Control`, nobody may keep it
   * @param text its bytes, each as one character
   */
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {
    const ownCaching = Object.keys(headers).some((name) => name.toLowerCase() === 'cache-control');
    this.lines = `${headerLines(headers)}${ownCaching ? '' : NOT_KEPT}content-length: ${text.length}\r\n`;
  }
}

/** @throws TypeError for a name or a value that HTTP does not allow */
export function headerLines(headers: Headers): string {
  let lines = '';
  for (const name of Object.keys(headers)) {
    const value = headers[name]!;
    validateHeaderName(name);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}
