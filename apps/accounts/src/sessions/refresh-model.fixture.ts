const DAY_MS = 86_400_000;
const SLIDES_MS = 30 * DAY_MS;
const LASTS_MS = 90 * DAY_MS;

/** What a client is told, with tokens by their place in the family. */
export type Answer = { token: number } | { error: 'invalid_refresh_token' | 'refresh_token_reused' };

/** What a family of refresh tokens must do, said once more in few words: the newest of its tokens is the one not yet used. */
export class FamilyModel {
  private constructor(
    readonly newest: number,
    readonly isOver: boolean,
    private readonly expiresMs: number,
    private readonly begunMs: number,
  ) {}

  static begin(nowMs: number): FamilyModel {
    return new FamilyModel(0, false, nowMs + SLIDES_MS, nowMs);
  }

  isLive(nowMs: number): boolean {
    return !this.isOver && nowMs < this.expiresMs;
  }

  end(): FamilyModel {
    return new FamilyModel(this.newest, true, this.expiresMs, this.begunMs);
  }

  /** @param token the place of what is presented */
  refresh(token: number, nowMs: number): { answer: Answer; after: FamilyModel } {
    if (!this.isLive(nowMs)) return { answer: { error: 'invalid_refresh_token' }, after: this };
    if (token < this.newest - 1) return { answer: { error: 'refresh_token_reused' }, after: this.end() };
    if (token < this.newest) return { answer: { token: this.newest }, after: this };
    const expiresMs = Math.min(nowMs + SLIDES_MS, this.begunMs + LASTS_MS);
    return {
      answer: { token: token + 1 },
      after: new FamilyModel(token + 1, false, expiresMs, this.begunMs),
    };
  }
}
