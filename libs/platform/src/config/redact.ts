const CENSORED = '[redacted]';
/** Made of a secret, and valid for minutes: a service that fails may repeat it. */
const BEARER_TOKEN = 'Bearer [\\w.~+/=-]+';

const secrets = new Set<string>();
let pattern = patternOf(secrets);

/** From now on no line of a log and no output of a command of this process shows these texts. */
export function hideFromOutput(texts: Iterable<string>): void {
  const before = secrets.size;
  for (const text of texts) secrets.add(text);
  if (secrets.size > before) pattern = patternOf(secrets);
}

/** The text without the secrets that the settings of this process hold, also where they are escaped for JSON or a URL. */
export function redacted(text: string): string {
  return text.replace(pattern, CENSORED);
}

/** Longest first: a secret within another one must not leave the rest of it readable. */
function patternOf(texts: ReadonlySet<string>): RegExp {
  const forms = new Set([...texts].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]));
  const longestFirst = [...forms].sort((one, other) => other.length - one.length);
  const escaped = longestFirst.map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  return new RegExp([...escaped, BEARER_TOKEN].join('|'), 'g');
}
