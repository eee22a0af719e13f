import { getHeapStatistics } from 'node:v8';
import { tooMuchMemory } from './unreadable-file';

/** Longest texts of habits and logs, in characters (code points). The id of a log may begin with that of its habit. */
export const LONGEST = {
  name: 120,
  description: 512,
  question: 512,
  category: 64,
  note: 1_024,
  tag: 32,
  sourceId: 200,
  logSourceId: 220,
} as const;
const SHORTEST_NAME = 2;

/** NUL, which no table takes, and halves of surrogate pairs, which are no characters. */
const UNUSABLE = /[\0\ud800-\udfff]/gu;

/** @returns the name as it is used, or why not */
export function usableName(text: string): { name: string } | { reason: string } {
  const name = text.trim();
  const length = charactersOf(name);
  if (length === 0) return { reason: 'no name' };
  if (length < SHORTEST_NAME) return { reason: `a name of fewer than ${SHORTEST_NAME} characters` };
  if (length > LONGEST.name) return { reason: `a name of more than ${LONGEST.name} characters` };
  if (hasUnusable(name)) return { reason: 'the name holds characters that cannot be kept' };
  return { name };
}

export function hasUnusable(text: string): boolean {
  return text.search(UNUSABLE) >= 0;
}

export function charactersOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) {
    const isPair = text.charCodeAt(at) >>> 10 === 0b110110 && text.charCodeAt(at + 1) >>> 10 === 0b110111;
    if (isPair) count--;
  }
  return count;
}

/** The first characters of a text, no pair cut in two. */
export function firstCharacters(text: string, count: number): string {
  return charactersOf(text) <= count ? text : [...text.slice(0, 2 * count)].slice(0, count).join('');
}

/**
 * The text of a file, unless there is no room for it: where one text alone is too much, the engine ends the process, not the thread.
 * @param options `fatal`: throws TypeError where the bytes are not UTF-8
 * @throws UnreadableFile
 */
export function decoded(bytes: Uint8Array, options?: TextDecoderOptions): string {
  const { heap_size_limit: most, used_heap_size: used } = getHeapStatistics();
  const room = most - used;
  // A single character that is not of Latin makes all of them take two bytes.
  if (bytes.length > room || (2 * bytes.length > room && bytes.some((byte) => byte > 0x7f))) throw tooMuchMemory();
  return new TextDecoder('utf-8', options).decode(bytes);
}

/** Makes texts beside names usable rather than losing what they belong to, and counts what it changed. */
export class TextRepair {
  private cut = 0;
  private replaced = 0;
  private leftOut = 0;

  text(text: string, longest: number): string {
    let usable = text;
    if (hasUnusable(text)) {
      usable = text.replace(UNUSABLE, '\uFFFD');
      this.replaced++;
    }
    const short = firstCharacters(usable, longest);
    if (short.length < usable.length) this.cut++;
    return short;
  }

  /** @returns null for a text of nothing */
  textOrNull(text: string, longest: number): string | null {
    return text === '' ? null : this.text(text, longest);
  }

  /** A note of a day without a log has nothing to stay with. */
  leaveOutNote(): void {
    this.leftOut++;
  }

  notes(): string[] {
    const sentences: [count: number, sentence: string][] = [
      [this.cut, 'Texts that were longer than can be kept, with the rest cut off'],
      [this.replaced, 'Texts with characters that cannot be kept, each of which became \uFFFD'],
      [this.leftOut, 'Notes left out, being of days without a log'],
    ];
    return sentences.flatMap(([count, sentence]) => (count > 0 ? [`${sentence}: ${count.toLocaleString('en')}.`] : []));
  }
}
