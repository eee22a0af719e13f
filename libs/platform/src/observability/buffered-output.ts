import pino, { type DestinationStream } from 'pino';

const FLUSH_INTERVAL_MS = 200;
const BLOCK_CHARACTERS = 16_384;

/**
 * Standard output, written a block at a time: at most a fifth of a second late, and whole when the process ends. The lines
 * are gathered here because pino's own buffer measures all it holds with every line.
 */
export class BufferedOutput implements DestinationStream {
  // Larger than a block: it writes when it is told to, never by itself, so that nothing is on its way when the process ends.
  private readonly output = pino.destination({
    dest: 1,
    sync: false,
    minLength: 8 * BLOCK_CHARACTERS,
    maxWrite: 16 * BLOCK_CHARACTERS,
  });
  private lines = '';

  constructor() {
    setInterval(() => this.flush(), FLUSH_INTERVAL_MS).unref();
    process.on('exit', () => {
      this.pass();
      this.output.flushSync();
    });
  }

  write(line: string): void {
    this.lines += line;
    if (this.lines.length > BLOCK_CHARACTERS) this.flush();
  }

  private flush(): void {
    this.pass();
    this.output.flush();
  }

  private pass(): void {
    if (this.lines !== '') this.output.write(this.lines);
    this.lines = '';
  }
}
