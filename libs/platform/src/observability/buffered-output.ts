import pino, { type DestinationStream } from 'pino';

const FLUSH_INTERVAL_MS = 200;
const BUFFER_CHARACTERS = 16_384;

/**
 * Standard output, written a block at a time: at most a fifth of a second late, and whole when the process ends. The lines
 * are gathered here because pino's own buffer measures all it holds with every line.
 */
export class BufferedOutput implements DestinationStream {
  private readonly output = pino.destination({ dest: 1, sync: false });
  private lines = '';

  constructor() {
    setInterval(() => this.pass(), FLUSH_INTERVAL_MS).unref();
    process.on('exit', () => {
      this.pass();
      this.output.flushSync();
    });
  }

  write(line: string): void {
    this.lines += line;
    if (this.lines.length > BUFFER_CHARACTERS) this.pass();
  }

  private pass(): void {
    if (this.lines === '') return;
    this.output.write(this.lines);
    this.lines = '';
  }
}
