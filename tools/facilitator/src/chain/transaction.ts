import type { Hex } from 'viem';
import type { Authorization } from './authorization';
import type { TokenEvent } from './events';

export type Submitter = 'facilitator' | 'third_party';

export interface Transaction {
  readonly hash: Hex;
  readonly submittedBy: Submitter;
  readonly sentAt: Date;
  /** Absent for a cancellation. */
  readonly transfer?: Authorization;
  /** Where it landed; null while it waits. */
  inclusion: Inclusion | null;
}

export interface Inclusion {
  readonly block: number;
  readonly at: Date;
  /** Place in the block. */
  readonly index: number;
  readonly reverted: boolean;
  readonly events: readonly PlacedEvent[];
}

export interface PlacedEvent extends TokenEvent {
  /** Place among all events of the block. */
  readonly logIndex: number;
}
