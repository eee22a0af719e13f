import { html, nothing, svg, type TemplateResult } from 'lit-html';

const GAP = 0.3;
/** A small part among large ones stays visible. */
const NARROWEST = 0.8;

interface Part {
  /** Decides its colour. */
  name: string;
  word: string;
  size: number;
  value: unknown;
}

/** Parts in one bar, and a key with the value of each. */
export function stackedBar(parts: readonly Part[]): { bar: TemplateResult; keys: TemplateResult[] } {
  const segments = segmentsOf(parts.map(({ size }) => size));
  const bar = html`<svg class="stacked-bar" aria-hidden="true">
    <rect class="track" width="100%" height="100%" />
    ${parts.map(({ name }, index) => {
      const { from, width } = segments[index]!;
      return width === 0 ? nothing : svg`<rect data-part=${name} x="${from}%" width="${width}%" height="100%" />`;
    })}
  </svg>`;
  const keys = parts.map(
    ({ name, word, value }) =>
      html`<li>
        <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
          <rect data-part=${name} width="10" height="10" rx="2" /></svg
        >${word} <strong>${value}</strong>
      </li>`,
  );
  return { bar, keys };
}

/**
 * In percent of the length of the bar, with a gap between them.
 * @param sizes a part without any has no width
 */
export function segmentsOf(sizes: readonly number[]): { from: number; width: number }[] {
  const present = sizes.filter((size) => size > 0);
  const total = present.reduce((sum, size) => sum + size, 0);
  const room = 100 - GAP * Math.max(0, present.length - 1);
  const wanted = sizes.map((size) => (size === 0 ? 0 : Math.max(NARROWEST, (size / total) * room)));
  const shrink = room / (wanted.reduce((sum, width) => sum + width, 0) || room);
  let from = 0;
  return wanted.map((width) => {
    const segment = { from, width: width * shrink };
    if (width > 0) from += segment.width + GAP;
    return segment;
  });
}
