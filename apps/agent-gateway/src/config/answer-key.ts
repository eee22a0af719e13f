const KEY_BYTES = 32;

/** `kid` names the key in stored answers: 1 to 16 characters. */
export interface AnswerKey {
  kid: string;
  key: Buffer;
}

/**
 * Keys of stored answers from their written form, `kid:base64` separated by commas; the first encrypts.
 * @throws RangeError when there is none, one is malformed, or two have one name
 */
export function answerKeysOf(written: string): readonly [AnswerKey, ...AnswerKey[]] {
  const keys = written.split(',').map((entry) => {
    const [kid = '', base64 = ''] = entry.split(':');
    const key = Buffer.from(base64, 'base64');
    if (!/^[\w-]{1,16}$/.test(kid) || key.length !== KEY_BYTES) throw new RangeError('malformed answer key');
    return { kid, key };
  });
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length) throw new RangeError('two answer keys of one name');
  return keys as [AnswerKey, ...AnswerKey[]];
}
