import { MAX_DEPTH, MAX_NODES } from './scan-json';

/** The ends of the keys that reach for the prototype: their beginnings are those of many other words. */
const PROTOTYPE_KEY = /proto__|structor|OwnProperty/;
/** Without so large an exponent only digits by the hundred go beyond a double. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3}/;

/** Two hundred digits in a row cover eight of the places looked at. */
const LOOK_EVERY = 25;
const LOOKS_AT_LONG_NUMBER = 8;

/**
 * Whether a text clearly holds nothing that `scanJson` looks for. Most bodies do, and native searches tell in a third of
 * its time; of any other body it says nothing.
 */
export function isPlainJson(text: string): boolean {
  return (
    text.length < 2 * MAX_NODES && // a value and its comma
    !text.includes('\\') &&
    openings(text, '{') + openings(text, '[') <= MAX_DEPTH &&
    !LARGE_EXPONENT.test(text) &&
    !PROTOTYPE_KEY.test(text) &&
    !mayHoldLongNumber(text)
  );
}

/** How often a bracket occurs, in strings too; counted no further than matters. */
function openings(text: string, bracket: string): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at >= 0 && count <= MAX_DEPTH; at = text.indexOf(bracket, at + 1)) count++;
  return count;
}

function mayHoldLongNumber(text: string): boolean {
  let digits = 0;
  for (let at = 0; at < text.length && digits < LOOKS_AT_LONG_NUMBER; at += LOOK_EVERY) {
    const character = text.charCodeAt(at);
    digits = character >= 0x30 && character <= 0x39 ? digits + 1 : 0;
  }
  return digits === LOOKS_AT_LONG_NUMBER;
}
