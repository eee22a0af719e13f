/** The colours of the tracker, by the number that its database has. */
const COLOURS: readonly string[] = [
  ...['#d32f2f', '#e64a19', '#f57c00', '#ff8f00', '#f9a825', '#afb42b', '#7cb342', '#388e3c', '#00897b', '#00acc1'],
  ...['#039be5', '#1976d2', '#303f9f', '#5e35b1', '#8e24aa', '#d81b60', '#5d4037', '#424242', '#757575', '#9e9e9e'],
];

/** The colour of a habit to which nobody gave one. */
const USUAL = 8;

/** @returns null where there is no colour of this number */
export function colourOfNumber(number: number): string | null {
  return COLOURS[number] ?? null;
}

/** @returns null where the text is no colour such as #FF8F00 */
export function colourOfText(text: string): string | null {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : null;
}

/** The number of the colour that looks most like it. */
export function numberOfColour(colour: string | null): number {
  if (colour === null) return USUAL;
  const distances = COLOURS.map((other) => distanceOf(colour, other));
  return distances.indexOf(Math.min(...distances));
}

function distanceOf(one: string, other: string): number {
  const part = (colour: string, at: number) => parseInt(colour.slice(at, at + 2), 16);
  return [1, 3, 5].reduce((sum, at) => sum + (part(one, at) - part(other, at)) ** 2, 0);
}
