const KEPT_AS = 'evenkeel.operator-token';

/** The token lives in the memory of this tab; in its session storage only where the operator asked for that. */
export class Session {
  token: string | undefined;

  constructor(private readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>) {
    this.token = storage.getItem(KEPT_AS) ?? undefined;
  }

  open(token: string, keep: boolean): void {
    this.token = token;
    if (keep) this.storage.setItem(KEPT_AS, token);
  }

  close(): void {
    this.token = undefined;
    this.storage.removeItem(KEPT_AS);
  }
}
