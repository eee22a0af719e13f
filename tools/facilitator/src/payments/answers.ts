import type { Address, Hex } from 'viem';

/** What goes over HTTP: the status says little, the body is the answer. */
export interface Answer {
  status: number;
  body: unknown;
}

export interface Refusal {
  reason: string;
  status?: number;
  /** Hash of a transaction that was sent all the same. */
  transaction?: Hex | '';
}

/** Whom and what an answer is about; the payer is unknown when the request cannot be read. */
export interface Subject {
  network: string;
  payer?: Address;
}

export function valid({ payer }: Subject): Answer {
  return { status: 200, body: { isValid: true, payer } };
}

export function invalid({ payer }: Subject, { reason, status = 200 }: Refusal): Answer {
  return { status, body: { isValid: false, invalidReason: reason, payer } };
}

export function settled({ network, payer }: Subject, transaction: Hex): Answer {
  return { status: 200, body: { success: true, transaction, network, payer } };
}

export function refused(subject: Subject, { reason, status = 200, transaction = '' }: Refusal): Answer {
  return { status, body: { success: false, errorReason: reason, transaction, ...subject } };
}
