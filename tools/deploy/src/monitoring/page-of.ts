/** Name of the page that says what to do about an alert. */
export function pageOf(alert: string): string {
  return alert.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
}
