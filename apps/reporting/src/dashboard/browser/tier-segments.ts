const GAP = 0.3;
/** A tier with few wallets among many is still to be seen. */
const NARROWEST = 0.8;

/**
 * Parts of one stacked bar, in percent of its length, with a gap between them.
 * @param counts wallets of each tier; a tier without any has no width
 */
export function tierSegments(counts: readonly number[]): { from: number; width: number }[] {
  const present = counts.filter((wallets) => wallets > 0);
  const total = present.reduce((sum, wallets) => sum + wallets, 0);
  const room = 100 - GAP * Math.max(0, present.length - 1);
  const wanted = counts.map((wallets) => (wallets === 0 ? 0 : Math.max(NARROWEST, (wallets / total) * room)));
  const shrink = room / (wanted.reduce((sum, width) => sum + width, 0) || room);
  let from = 0;
  return wanted.map((width) => {
    const segment = { from, width: width * shrink };
    if (width > 0) from += segment.width + GAP;
    return segment;
  });
}
