/** A name for a terminal: without characters that move its cursor, colour it or turn its direction; not too long. */
export function printable(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u00B7');
  return plain.length <= 60 ? plain : `${plain.slice(0, 59)}…`;
}
