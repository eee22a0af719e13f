/** A message that is no event of ours; the sentence names the part, never its value. */
export class MalformedEvent extends Error {
  override readonly name = 'MalformedEvent';
}
