import { DomainError } from '@evenkeel/kernel';
import { RateLimited } from '@evenkeel/platform/http';
import { Injectable } from '@nestjs/common';
import { hash, parseOptions, verify, type Options } from '@node-rs/argon2';
import { AccountsConfig } from '../accounts.config';
import { BreachedPasswords } from './breached-passwords';
import { normalizedPassword as normalized, PasswordBreached } from './new-password';

/** At once in this process: each takes a core for its time. */
const RUNNING_MOST = 2;
const WAITING_MOST = 20;

export class InvalidCredentials extends DomainError {
  readonly kind = 'unauthorized';
  readonly code = 'invalid_credentials';
  constructor() {
    super('The address or the password is wrong.');
  }
}

/** Hashes of passwords: argon2id, two at a time, then a short queue, then 429. */
@Injectable()
export class Passwords {
  private readonly options: Options;
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private dummy?: Promise<string>;

  constructor(
    { ARGON2_MEMORY_KIB, ARGON2_PASSES, ARGON2_LANES }: AccountsConfig,
    private readonly breached: BreachedPasswords,
  ) {
    this.options = { memoryCost: ARGON2_MEMORY_KIB, timeCost: ARGON2_PASSES, parallelism: ARGON2_LANES };
  }

  /**
   * The hash of a password that somebody chooses.
   * @param email of their account
   * @throws PasswordBreached, RateLimited when too many wait
   */
  async hashOfNew(password: string, email: string): Promise<string> {
    if (await this.isBreached(password, email)) throw new PasswordBreached();
    return this.hashOf(password);
  }

  /** Whether it is tried first by those who guess: on the list, one character repeated, or the address of the account. */
  async isBreached(password: string, email: string): Promise<boolean> {
    const normal = normalized(password);
    return isOneCharacter(normal) || isAddress(normal, email) || this.breached.has(normal);
  }

  /** @throws RateLimited when too many wait */
  hashOf(password: string): Promise<string> {
    return this.inTurn(() => hash(normalized(password), this.options));
  }

  /**
   * @param stored null for an address that is not known: the same work is done for it
   * @throws RateLimited when too many wait
   */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const compared = stored ?? (await (this.dummy ??= hash('', this.options)));
    const isRight = await this.inTurn(() => verify(compared, normalized(password)));
    return stored !== null && isRight;
  }

  /** Whether a hash was made with other parameters than those of today. */
  isOutdated(stored: string): boolean {
    const { memoryCost, timeCost, parallelism } = parseOptions(stored);
    const { options } = this;
    return memoryCost !== options.memoryCost || timeCost !== options.timeCost || parallelism !== options.parallelism;
  }

  private async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.running >= RUNNING_MOST) await this.turn();
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private turn(): Promise<void> {
    if (this.waiting.length >= WAITING_MOST) throw new RateLimited({ scope: 'concurrency' });
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

function isOneCharacter(password: string): boolean {
  return new Set(password).size === 1;
}

/** The whole address, or the part before the at sign. */
function isAddress(password: string, email: string): boolean {
  const [typed, address] = [password.toLowerCase(), email.toLowerCase()];
  return typed === address || typed === address.slice(0, address.lastIndexOf('@'));
}
