/** What a spreadsheet would run, or take apart; apostrophes before it do not change that. */
const RUN_BY_SPREADSHEETS = /^'*(?:\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]|[\t\r\n])/;

/** Puts an apostrophe before what a spreadsheet would run. */
export function guardedCell(text: string): string {
  return RUN_BY_SPREADSHEETS.test(text) ? `'${text}` : text;
}

/** Takes the apostrophe back: exactly what `guardedCell` was given. */
export function unguardedCell(text: string): string {
  return text.startsWith("'") && RUN_BY_SPREADSHEETS.test(text.slice(1)) ? text.slice(1) : text;
}
