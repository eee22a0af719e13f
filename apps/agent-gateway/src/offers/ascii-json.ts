/** The same JSON without a character above ASCII, so that its length is its bytes. */
export function asciiJson(json: string): string {
  return json.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
