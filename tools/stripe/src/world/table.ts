/** Objects by id, in the order in which they were made. It knows those to which something may still happen by itself. */
export class Table<Kept extends { id: string }> extends Map<string, Kept> {
  private readonly open = new Set<Kept>();

  constructor(private readonly isOver: (object: Kept) => boolean) {
    super();
  }

  override set(id: string, object: Kept): this {
    this.open.add(object);
    return super.set(id, object);
  }

  /** So that a step of time costs what is alive, not all that ever was. */
  *unfinished(): Generator<Kept> {
    for (const object of this.open) {
      if (this.isOver(object)) this.open.delete(object);
      else yield object;
    }
  }
}
