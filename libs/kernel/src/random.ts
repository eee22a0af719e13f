/** Equal numbers for an equal seed, on every machine: sfc32 of PractRand. Never for secrets. */
export class Random {
  private a = 0x9e3779b9;
  private b = 0x243f6a88;
  private c = 0xb7e15162;
  private counter = 1;

  constructor(seed: number) {
    this.a ^= seed;
    for (let round = 0; round < 16; round++) this.bits();
  }

  /** 32 of them, as an integer from 0. */
  bits(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0, below 1. */
  ratio(): number {
    return this.bits() / 0x1_0000_0000;
  }

  /** An integer from 0, below the limit. */
  below(limit: number): number {
    return Math.floor(this.ratio() * limit);
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.bits() < 0x1_0000_0000 / times;
  }

  /** @param length a multiple of 8 */
  hex(length: number): string {
    let text = '';
    while (text.length < length) text += this.bits().toString(16).padStart(8, '0');
    return text;
  }

  /** UUID version 7 of an instant. */
  uuid(atMs: number): string {
    const time = atMs.toString(16).padStart(12, '0');
    const rest = this.hex(24);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
  }
}
