/** The figures of a stage, by their names. */
export type Figures = Record<string, number>;

/** Titles, then lines; the first column to the left, the others to the right. */
export function table(titles: readonly string[], lines: readonly (readonly string[])[]): string {
  const all = [titles, ...lines];
  const widths = titles.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return all.map((line) => line.map(padded).join('  ').trimEnd()).join('\n');
}

/** At most three digits that say something. */
export function rounded(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}
