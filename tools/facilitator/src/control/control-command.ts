import type { ModeCommand } from './mode-switch';

/** A control command that cannot be followed; the message says what would do. */
export class BadCommand extends Error {}

/** The targets of a mode. */
export const TARGETS = ['supported', 'verify', 'settle', 'rpc'] as const;

export type Target = (typeof TARGETS)[number];

/** The body of `POST /control`, as JSON: a mode, or something that happens outside the calls. See README.md. */
export type ControlCommand =
  | ModeCommand
  /** The payer cancels an authorization on the chain. */
  | { action: 'cancel'; payer: string; nonce: string }
  /** A third party sends a signed transfer to the chain. */
  | { action: 'submit'; authorization: SubmittedAuthorization }
  /** A third party sends many at once, in one transaction: authorizations, and transfers without one. */
  | { action: 'batch'; transfers: (SubmittedAuthorization | SubmittedTransfer)[] }
  /** Atomic units, decimal. */
  | { action: 'balance'; wallet: string; value: string }
  | { action: 'blacklist'; wallet: string }
  /** Which x402 versions are listed and taken. */
  | { action: 'versions'; versions: (1 | 2)[] }
  /** `older`: version 1 verify looks at neither nonce nor balance. */
  | { action: 'engine'; v1: 'current' | 'older' }
  /** Moves the time of the chain, and of every check, ahead. */
  | { action: 'advance'; ms: number }
  /** Refuses connections for a while. */
  | { action: 'down'; ms: number };

export interface SubmittedTransfer {
  from: string;
  to: string;
  /** Atomic units, decimal. */
  value: string;
}

/** As in the payment header. */
export interface SubmittedAuthorization extends SubmittedTransfer {
  validAfter: string;
  validBefore: string;
  nonce: string;
}
