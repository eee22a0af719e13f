import type { Clock } from '@evenkeel/kernel';
import { keccak256, stringToHex, type Hex } from 'viem';

export interface Block {
  number: number;
  hash: Hex;
  parentHash: Hex;
  /** Seconds since 1970. */
  timestamp: number;
}

/** How far the chain reaches back before the start, so that a reader may look behind the very first payment. */
const PAST_MS = 600_000;

/**
 * A block every `blockMs`, by the clock alone: numbers, hashes and times follow from the moment of start and need no timer.
 * The newest block is open: transactions join it until the next one begins.
 */
export class Blocks {
  private readonly firstMs: number;

  constructor(
    private readonly chainId: number,
    private readonly clock: Clock,
    readonly blockMs: number,
  ) {
    this.firstMs = clock.now().getTime() - PAST_MS;
  }

  newest(): number {
    return this.numberAt(this.clock.now().getTime());
  }

  numberAt(instantMs: number): number {
    return Math.floor((instantMs - this.firstMs) / this.blockMs);
  }

  block(number: number): Block {
    return {
      number,
      hash: this.hash(number),
      parentHash: this.hash(number - 1),
      timestamp: Math.floor((this.firstMs + number * this.blockMs) / 1000),
    };
  }

  hash(number: number): Hex {
    return keccak256(stringToHex(`block ${this.chainId} ${number}`));
  }
}
