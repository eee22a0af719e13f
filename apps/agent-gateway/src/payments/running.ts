/**
 * What runs in this process now, by key: seldom more than a hundred.
 * An array, since a Map that many calls pass through keeps them alive for the collector: each table that it has outgrown
 * holds on to its entries and to the next table, which made the collector copy every call twice and age it for nothing.
 */
export class Running<Work> {
  private readonly entries: { key: string; work: Work }[] = [];

  get(key: string): Work | undefined {
    return this.entries.find((entry) => entry.key === key)?.work;
  }

  add(key: string, work: Work): void {
    this.entries.push({ key, work });
  }

  remove(key: string): void {
    const index = this.entries.findIndex((entry) => entry.key === key);
    if (index >= 0) this.entries.splice(index, 1);
  }

  all(): Work[] {
    return this.entries.map(({ work }) => work);
  }
}
