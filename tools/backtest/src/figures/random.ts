/** Equal numbers for an equal seed, on every machine: sfc32 of PractRand. */
export class Random {
  private a = 0x9e3779b9;
  private b = 0x243f6a88;
  private c = 0xb7e15162;
  private counter = 1;

  constructor(seed: number) {
    this.a ^= seed;
    for (let round = 0; round < 16; round++) this.ratio();
  }

  /** From 0, below 1. */
  ratio(): number {
    const sum = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
    return (sum >>> 0) / 0x1_0000_0000;
  }

  /** An integer from 0, below the limit. */
  below(limit: number): number {
    return Math.floor(this.ratio() * limit);
  }
}
