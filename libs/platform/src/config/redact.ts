const CENSORED = '[redacted]';

const secrets = new Set<string>();
let pattern: RegExp | null = null;

/** From now on no line of a log and no output of a command of this process shows these texts. */
export function hideFromOutput(texts: Iterable<string>): void {
  const before = secrets.size;
  for (const text of texts) secrets.add(text);
  if (secrets.size > before) pattern = patternOf(secrets);
}

/** The text without the secrets that the settings of this process hold, also where they are escaped for JSON or a URL. */
export function redacted(text: string): string {
  return pattern ? text.replace(pattern, CENSORED) : text;
}

/** Longest first: a secret within another one must not leave the rest of it readable. */
function patternOf(texts: ReadonlySet<string>): RegExp {
  const forms = new Set([...texts].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  const longestFirst = [...forms].sort((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|'), 'g');
}
