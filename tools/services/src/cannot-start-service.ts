/** A backing service cannot run here; the message says why and what to type. */
export class CannotStartService extends Error {
  override readonly name: string = 'CannotStartService';
}
