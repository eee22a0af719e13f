import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AnswerCipher } from '../ledger/answer-cipher';
import type { CreditToken } from '../ledger/credit-offer';

const PREFIX = 'hrc_';
const FORM = /^hrc_[A-Za-z0-9_-]{43}$/;
const MAX_SPARE = 64;

/** Null for what cannot be a token of ours. */
export function tokenHash(token: string): string | null {
  return FORM.test(token) ? createHash('sha256').update(token).digest('hex') : null;
}

/**
 * Tokens for credits that may be issued. A settlement takes one along, since the ledger alone knows whether a credit is
 * due; most are not needed, and a token that nobody has seen is as good for the next one.
 */
@Injectable()
export class CreditTokens {
  private readonly spare: CreditToken[] = [];

  constructor(private readonly cipher: AnswerCipher) {}

  take(): CreditToken {
    return this.spare.pop() ?? this.make();
  }

  /** Only when it is certain that it was not issued. */
  giveBack(token: CreditToken): void {
    if (this.spare.length < MAX_SPARE) this.spare.push(token);
  }

  /** The clear form again; null when the key is gone. */
  open(hash: string, sealed: Buffer): string | null {
    return this.cipher.decrypt(hash, sealed)?.toString() ?? null;
  }

  private make(): CreditToken {
    const clear = PREFIX + randomBytes(32).toString('base64url');
    const hash = tokenHash(clear)!;
    return { clear, hash, sealed: this.cipher.encrypt(hash, Buffer.from(clear)) };
  }
}
