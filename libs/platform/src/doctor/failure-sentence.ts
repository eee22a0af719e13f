/** A server that a process has tried to reach. */
export interface Target {
  /** With its host: `The database at db:5432`. */
  name: string;
  /** The settings that lead there: `DATABASE_URL`. */
  settings: string;
  /** How to name an authority of certificates that the system does not know. Default: for all of Node. */
  authority?: string;
}

type Sentence = (target: Target) => string;

const unknownAuthority: Sentence = ({ name, authority = 'name the file of its PEM in NODE_EXTRA_CA_CERTS' }) =>
  `${name} shows a certificate of an authority that this process does not know: ${authority}.`;
const unknownName: Sentence = ({ name, settings }) => `${name} has a name that is not known here: correct ${settings}.`;
const noAnswer: Sentence = ({ name, settings }) =>
  `${name} does not answer in time: correct ${settings}, or let this process reach it.`;
const noRoute: Sentence = ({ name, settings }) =>
  `No way leads to ${name}: correct ${settings}, or the network policy that is between.`;
const cut: Sentence = ({ name, settings }) =>
  `${name} closes the connection: correct the port in ${settings}, and whether it is to speak TLS.`;
const noTls: Sentence = ({ name, settings }) =>
  `${name} does not speak TLS: correct the port in ${settings}, or ask for a plain connection.`;

const SENTENCES: Readonly<Record<string, Sentence>> = {
  ENOTFOUND: unknownName,
  EAI_AGAIN: unknownName,
  ECONNREFUSED: ({ name, settings }) => `${name} is not there: start it, or correct ${settings}.`,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ETIMEDOUT: noAnswer,
  TimeoutError: noAnswer,
  UND_ERR_CONNECT_TIMEOUT: noAnswer,
  UND_ERR_HEADERS_TIMEOUT: noAnswer,
  UND_ERR_BODY_TIMEOUT: noAnswer,
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_HAS_EXPIRED: ({ name }) => `${name} shows a certificate that has expired: renew it there.`,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ name, settings }) =>
    `${name} shows a certificate for another name: write in ${settings} the name that it is for, or renew it.`,
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
};

/** Why something could not be reached, and what to set. Libraries wrap the reason: the innermost known one is used. */
export function failureSentence(error: unknown, target: Target): string {
  const sentence = reasons(error)
    .map(({ code, name }) => SENTENCES[code ?? ''] ?? SENTENCES[name])
    .findLast((known) => known !== undefined);
  if (sentence) return sentence(target);
  const message = reasons(error).at(-1)?.message.trim().replace(/\.$/, '') ?? 'no reason';
  return `${target.name} cannot be used (${message}): check ${target.settings}.`;
}

type Reason = Error & { code?: string };

/** An error and those within it, the innermost last. */
export function reasons(error: unknown): Reason[] {
  if (!(error instanceof Error)) return [];
  const { cause, originalError, errors } = error as Error & { originalError?: unknown; errors?: unknown[] };
  return [error, ...reasons(cause ?? originalError ?? errors?.[0])];
}
