/** The embedded server cannot run here; the message names the folder and what to do. */
export class CannotStartPostgres extends Error {
  override readonly name = 'CannotStartPostgres';
}
