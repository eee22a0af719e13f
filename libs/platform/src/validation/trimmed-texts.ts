export type Item = Record<string, unknown>;

/** The same object when nothing is to trim, else a copy with the named texts trimmed. */
export function trimmedTexts(item: Item, names: readonly string[]): Item {
  let trimmed = item;
  for (const name of names) {
    const text = item[name];
    if (typeof text !== 'string') continue;
    const short = text.trim();
    if (short !== text) trimmed = { ...trimmed, [name]: short };
  }
  return trimmed;
}

/** The same list when nothing is to trim in any of its items. */
export function trimmedItems(items: Item[], names: readonly string[]): Item[] {
  const trimmed = items.map((item) => trimmedTexts(item, names));
  return trimmed.every((item, index) => item === items[index]) ? items : trimmed;
}
