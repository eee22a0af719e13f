import { randomFillSync } from 'node:crypto';

const DRAWN_BYTES = 4_096;

/** Random bytes, never the same twice. Drawn in bulk: twelve cost the system as much as thousands. */
export class RandomBytes {
  private drawn = Buffer.alloc(0);

  take(length: number): Buffer {
    if (this.drawn.length < length) this.drawn = randomFillSync(Buffer.alloc(DRAWN_BYTES));
    const taken = this.drawn.subarray(0, length);
    this.drawn = this.drawn.subarray(length);
    return taken;
  }
}
