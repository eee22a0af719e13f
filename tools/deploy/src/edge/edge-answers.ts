import { HTTP_CONVENTIONS, ownerOf, type ErrorBody } from '@evenkeel/contracts';

/** An answer of the edge itself: the status that HAProxy would answer, that of the edge, and a body as services have it. */
type EdgeAnswer = readonly [when: number, status: number, body: ErrorBody];

const AGENT_SURFACE = '/agent/v1';
/** The service of paying requests: its answers say what became of the money. */
export const AGENT_APP = ownerOf(AGENT_SURFACE);

const RETRY_AFTER_SECONDS = 2;

/** Bytes that are no HTTP, or come too slowly. */
const MALFORMED: readonly EdgeAnswer[] = [
  [400, 400, { error: 'validation_failed', message: 'The request is not valid HTTP.' }],
  [408, 400, { error: 'validation_failed', message: 'The request did not arrive in time.' }],
];
const AWAY = {
  error: 'service_unavailable',
  message: 'A part that this address needs is not available. Wait and repeat.',
};
const NEVER_SENT = {
  error: 'payment_verification_unavailable',
  message: 'The payment could not be verified. Nothing was charged.',
};
const MAYBE_CHARGED = {
  error: 'settlement_unknown',
  message: 'The request was not answered. Repeat it as it is: that never charges twice.',
  details: { charged: null },
};

/** No server took the request, or none answered it: 504 is 503, as the services say it themselves. */
const UNANSWERED: readonly EdgeAnswer[] = [...MALFORMED, [502, 502, AWAY], [503, 503, AWAY], [504, 503, AWAY]];
/** The same for paying requests. HAProxy says 503 when no connection was made, and else the request was sent. */
const UNANSWERED_PAID: readonly EdgeAnswer[] = [
  ...MALFORMED,
  [502, 502, MAYBE_CHARGED],
  [503, 502, NEVER_SENT],
  [504, 502, MAYBE_CHARGED],
];

export const SHARED_ERRORS = httpErrors(UNANSWERED, '/');
export const AGENT_READ_ERRORS = httpErrors(UNANSWERED, AGENT_SURFACE);
export const PAID_ERRORS = httpErrors(UNANSWERED_PAID, AGENT_SURFACE);

const HIDDEN = { error: 'not_found', message: 'There is nothing at this address.' };
/** The arguments of `http-request return` for an address that is not public. */
export const NOT_FOUND = `status 404 ${contentOf(404, HIDDEN, '/')}`;

/** @returns lines of a section */
function httpErrors(answers: readonly EdgeAnswer[], surface: string): string {
  const pages = answers.map(([when, status, body]) => `http-error status ${when} ${contentOf(status, body, surface)}`);
  const moved = answers.filter(([when, status]) => when !== status);
  const statuses = moved.map(([when, status]) => `http-after-response set-status ${status} if { status ${when} }`);
  return [...pages, ...statuses].join('\n  ');
}

function contentOf(status: number, body: ErrorBody, surface: string): string {
  const text = JSON.stringify(HTTP_CONVENTIONS.errorShape(surface, { status, body }));
  const content = `content-type "application/json; charset=utf-8" string '${text}'`;
  const retry = status < 500 ? '' : ` hdr Retry-After ${RETRY_AFTER_SECONDS}`;
  return `${content} hdr Cache-Control no-store hdr X-Content-Type-Options nosniff${retry}`;
}
