/** What makes a spreadsheet take a text for a formula, and run it. */
const FORMULA = /^[=+\-@\t\r\n]/;
const NEEDS_QUOTES = /[",\r\n]/;

/**
 * One record of RFC 4180, with its line end. A text that a spreadsheet would run gets an apostrophe in front, which
 * spreadsheets take for "this is text".
 */
export function csvLine(values: readonly (string | null)[]): string {
  return `${values.map(field).join(',')}\r\n`;
}

function field(value: string | null): string {
  if (value === null) return '';
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
