const KEY_BYTES = 32;

/** `kid` names the key in stored answers: 1 to 16 characters. */
export interface AnswerKey {
  kid: string;
  key: Buffer;
}

/**
 * Keys of stored answers from their written form, `kid:base64` separated by commas; the first encrypts.
 * @throws RangeError when there is none, or one is malformed
 */
export function answerKeysOf(written: string): readonly [AnswerKey, ...AnswerKey[]] {
  const [first, ...others] = written.split(',').map((entry) => {
    const [kid = '', base64 = ''] = entry.split(':');
    const key = Buffer.from(base64, 'base64');
    if (!/^[\w-]{1,16}$/.test(kid) || key.length !== KEY_BYTES) throw new RangeError('malformed answer key');
    return { kid, key };
  });
  return [first!, ...others];
}
