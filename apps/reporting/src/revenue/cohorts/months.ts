/** The UTC month of an instant and those before it, oldest first, as `YYYY-MM`. */
export function monthsUntil(now: Date, months: number): string[] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return Array.from({ length: months }, (_, index) => {
    return new Date(Date.UTC(year, month - (months - 1) + index, 1)).toISOString().slice(0, 7);
  });
}
