import { Clock } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { PaymentInProgress } from './settlement-errors';

const MAX_PLACES = 64;
/** Reserved for payments that passed verify. */
const RESERVED_PLACES = 16;
const PLACES_OF_ANY_CALLER = 8;
/** For a caller with a payment that was verified in the last minute. */
const PLACES_OF_A_PAYER = 24;
const PAYER_FOR_MS = 60_000;
/** Twice as many callers are remembered at most. */
const MAX_PAYERS = 10_000;

/** Held by one payment while it is worked on. */
export class Place {
  isVerified = false;
  /** Work that goes on although its request has no time left: for a body that came slowly that is all the work. */
  unfinished: Promise<unknown> | null = null;

  constructor(
    readonly caller: string,
    private readonly places: Places,
  ) {}

  /** Its payment has passed verify: it may have one of the reserved places. */
  passVerify(): void {
    this.isVerified = true;
    this.places.noteVerified(this);
  }

  /** Its request is answered: the place is free once its work has ended, too. */
  leave(): void {
    const free = () => this.places.free(this);
    if (this.unfinished === null) free();
    else void this.unfinished.then(free, free);
  }
}

/**
 * How many payments this process works on at once, and how many of them one caller may have: a sender of payments that
 * verify slowly or never takes no place from others.
 */
@Injectable()
export class Places {
  /** An array: there are few, and a Map that every call passes through costs the collector more. */
  private readonly held: Place[] = [];
  private unverified = 0;
  private readonly payers: Payers;

  constructor(clock: Clock) {
    this.payers = new Payers(() => clock.now().getTime());
  }

  /** @throws PaymentInProgress when there is none */
  take(caller: string): Place {
    const isFull = this.held.length >= MAX_PLACES || this.unverified >= MAX_PLACES - RESERVED_PLACES;
    if (isFull || this.heldBy(caller) >= this.limitOf(caller)) throw new PaymentInProgress('concurrency');
    const place = new Place(caller, this);
    this.held.push(place);
    this.unverified += 1;
    return place;
  }

  noteVerified({ caller }: Place): void {
    this.unverified -= 1;
    this.payers.add(caller);
  }

  free(place: Place): void {
    this.held.splice(this.held.indexOf(place), 1);
    if (!place.isVerified) this.unverified -= 1;
  }

  private heldBy(caller: string): number {
    let count = 0;
    for (const place of this.held) if (place.caller === caller) count += 1;
    return count;
  }

  private limitOf(caller: string): number {
    return this.payers.has(caller) ? PLACES_OF_A_PAYER : PLACES_OF_ANY_CALLER;
  }
}

/** Callers with a payment that was verified in the last minute, in two generations: the older one is dropped whole. */
class Payers {
  private young = new Map<string, number>();
  private old = new Map<string, number>();
  private begunMs = 0;

  constructor(private readonly nowMs: () => number) {}

  add(caller: string): void {
    const nowMs = this.nowMs();
    if (nowMs - this.begunMs >= PAYER_FOR_MS || this.young.size >= MAX_PAYERS) {
      this.old = this.young;
      this.young = new Map();
      this.begunMs = nowMs;
    }
    this.young.set(caller, nowMs);
  }

  has(caller: string): boolean {
    const verifiedMs = this.young.get(caller) ?? this.old.get(caller);
    return verifiedMs !== undefined && this.nowMs() - verifiedMs < PAYER_FOR_MS;
  }
}
