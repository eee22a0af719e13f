/** The call came to no answer that could be paid for; the message says what to do. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}
