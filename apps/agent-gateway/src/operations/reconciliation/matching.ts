interface Waiting<Item> {
  item: Item;
  at: Date;
}

/** What has found no counterpart yet, by key; several may have the same. */
class Side<Item> {
  private readonly waiting = new Map<string, Waiting<Item>[]>();

  add(key: string, at: Date, item: Item): void {
    const others = this.waiting.get(key);
    if (others) others.push({ item, at });
    else this.waiting.set(key, [{ item, at }]);
  }

  takeOne(key: string): boolean {
    const found = this.waiting.get(key);
    if (!found) return false;
    found.shift();
    if (found.length === 0) this.waiting.delete(key);
    return true;
  }

  /** Removes and returns what is older. */
  takeBefore(instant: Date): Item[] {
    const taken: Item[] = [];
    for (const [key, waiting] of this.waiting) {
      taken.push(...waiting.filter(({ at }) => at < instant).map(({ item }) => item));
      const rest = waiting.filter(({ at }) => at >= instant);
      if (rest.length > 0) this.waiting.set(key, rest);
      else this.waiting.delete(key);
    }
    return taken;
  }
}

/**
 * Pairs two streams that come in order of time but not in step: one of ours with one of theirs of the same key. Holds only
 * what waits for its counterpart, so that no range is too long for the memory.
 */
export class Matching<Ours, Theirs> {
  matched = 0;
  private readonly ours = new Side<Ours>();
  private readonly theirs = new Side<Theirs>();

  addOurs(key: string, at: Date, item: Ours): void {
    if (this.theirs.takeOne(key)) this.matched += 1;
    else this.ours.add(key, at, item);
  }

  addTheirs(key: string, at: Date, item: Theirs): void {
    if (this.ours.takeOne(key)) this.matched += 1;
    else this.theirs.add(key, at, item);
  }

  /** What will find no counterpart any more. */
  takeBefore(instant: Date): { ours: Ours[]; theirs: Theirs[] } {
    return { ours: this.ours.takeBefore(instant), theirs: this.theirs.takeBefore(instant) };
  }
}
