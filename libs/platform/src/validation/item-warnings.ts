/**
 * What was ignored or corrected in one habit or task (D-38, D-40): unknown properties in the order sent, then the streak.
 * @param known names of the properties that an item may have
 */
export function itemWarnings(item: Record<string, unknown>, known: ReadonlySet<string>): readonly string[] {
  const warnings: string[] = [];
  for (const name in item) {
    if (!known.has(name)) warnings.push(`unknown property ${JSON.stringify(name)} ignored.`);
  }
  if ((item.current_streak as number) > (item.best_streak as number)) {
    warnings.push('current_streak is above best_streak; the larger is used.');
  }
  return warnings;
}
