/** A server that a process has tried to reach. */
export interface Target {
  /** With its host: `The database at db:5432`. */
  name: string;
  /** The settings that lead there: `DATABASE_URL`. */
  settings: string;
  /** How to name an authority of certificates that the system does not know. Default: for all of Node. */
  authority?: string;
}

/** By code or name of an error. */
const SENTENCES: readonly [codes: RegExp, (target: Target) => string][] = [
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    ({ name, settings }) => `${name} has a name that is not known here: correct ${settings}.`,
  ],
  [/^ECONNREFUSED$/, ({ name, settings }) => `${name} is not there: start it, or correct ${settings}.`],
  [
    /^(EHOSTUNREACH|ENETUNREACH)$/,
    ({ name, settings }) => `No way leads to ${name}: correct ${settings}, or the network policy that is between.`,
  ],
  [
    /^(ETIMEDOUT|TimeoutError|UND_ERR_\w+_TIMEOUT)$/,
    ({ name, settings }) => `${name} does not answer in time: correct ${settings}, or let this process reach it.`,
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    ({ name, settings }) =>
      `${name} closes the connection: correct the port in ${settings}, and whether it is to speak TLS.`,
  ],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)/,
    ({ name, authority = 'name the file of its PEM in NODE_EXTRA_CA_CERTS' }) =>
      `${name} shows a certificate of an authority that this process does not know: ${authority}.`,
  ],
  [/^CERT_HAS_EXPIRED$/, ({ name }) => `${name} shows a certificate that has expired: renew it there.`],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ({ name, settings }) =>
      `${name} shows a certificate for another name: write in ${settings} the name that it is for, or renew it.`,
  ],
  [
    /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/,
    ({ name, settings }) =>
      `${name} does not speak TLS: correct the port in ${settings}, or ask for a plain connection.`,
  ],
];

/** Why something could not be reached, and what to set. Libraries wrap the reason: the innermost known one is used. */
export function failureSentence(error: unknown, target: Target): string {
  const within = reasons(error);
  for (const { code = '', name } of within.toReversed()) {
    const [, sentence] = SENTENCES.find(([codes]) => codes.test(code) || codes.test(name)) ?? [];
    if (sentence) return sentence(target);
  }
  const message = within.at(-1)?.message.trim().replace(/\.$/, '') ?? 'no reason';
  return `${target.name} cannot be used (${message}): check ${target.settings}.`;
}

type Reason = Error & { code?: string };

/** An error and those within it, the innermost last. */
export function reasons(error: unknown): Reason[] {
  if (!(error instanceof Error)) return [];
  const { cause, originalError, errors } = error as Error & { originalError?: unknown; errors?: unknown[] };
  return [error, ...reasons(cause ?? originalError ?? errors?.[0])];
}
