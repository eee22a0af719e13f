import { titleOf, type KubernetesObject } from '../cluster';

/** Values that stand for those of an operator. */
const PLACEHOLDERS: Readonly<Record<string, RegExp>> = {
  'a digest of zeros': /@sha256:0{64}$/,
  'a name of example.com': /\bexample\.com\b/,
  'the address zero': /^0x0{40}$/,
  'the name of no price': /^price_(monthly|yearly)$/,
};

/** What of rendered objects an operator has not replaced: sentences that begin with the object. */
export function placeholdersIn(objects: readonly KubernetesObject[]): string[] {
  return objects.flatMap((object) =>
    textsIn(object).flatMap(([path, text]) =>
      Object.entries(PLACEHOLDERS)
        .filter(([, pattern]) => pattern.test(text))
        .map(([what]) => `${titleOf(object)}: ${path} has ${what}: ${text}`),
    ),
  );
}

function textsIn(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => textsIn(member, path === '' ? key : `${path}.${key}`));
}
