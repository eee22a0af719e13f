import { HTTP_CONVENTIONS, ownerOf, type ErrorBody } from '@evenkeel/contracts';

/** An answer of the edge itself, in the shape of the services. */
interface EdgeAnswer {
  /** The status that HAProxy would answer. */
  when: number;
  /** The status that the edge answers. */
  status: number;
  body: ErrorBody;
  retryAfterSeconds?: number;
}

const AGENT_SURFACE = '/agent/v1';
/** The service of paying requests: its answers say what became of the money. */
export const AGENT_APP = ownerOf(AGENT_SURFACE);

const RETRY_AFTER_SECONDS = 2;

function malformed(when: number, message: string): EdgeAnswer {
  return { when, status: 400, body: { error: 'validation_failed', message } };
}

/** No server took the request, or none answered it; and a body that is no HTTP, or comes too slowly. */
export const UNANSWERED: readonly EdgeAnswer[] = [
  malformed(400, 'The request is not valid HTTP.'),
  malformed(408, 'The request did not arrive in time.'),
  ...[502, 503, 504].map((when) => {
    const message = 'A part that this address needs is not available. Wait and repeat.';
    return {
      when,
      // As the services say it themselves.
      status: when === 504 ? 503 : when,
      body: { error: 'service_unavailable', message },
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    };
  }),
];

const NEVER_SENT: ErrorBody = {
  error: 'payment_verification_unavailable',
  message: 'The payment could not be verified. Nothing was charged.',
};
const MAYBE_CHARGED: ErrorBody = {
  error: 'settlement_unknown',
  message: 'The request was not answered. Repeat it as it is: that never charges twice.',
  details: { charged: null },
};

/** The same for paying requests. HAProxy says 503 when no connection was made, and else the request was sent. */
export const UNANSWERED_PAID: readonly EdgeAnswer[] = UNANSWERED.map((answer) => {
  if (answer.status === 400) return answer;
  return { ...answer, status: 502, body: answer.when === 503 ? NEVER_SENT : MAYBE_CHARGED };
});

/** @returns lines of a section */
export function httpErrors(answers: readonly EdgeAnswer[], surface: string): string[] {
  const moved = answers.filter(({ when, status }) => when !== status);
  return [
    ...answers.map((answer) => `http-error status ${answer.when} ${contentOf(answer, surface)}`),
    ...moved.map(({ when, status }) => `http-after-response set-status ${status} if { status ${when} }`),
  ];
}

const HIDDEN: EdgeAnswer = {
  when: 404,
  status: 404,
  body: { error: 'not_found', message: 'There is nothing at this address.' },
};

/** The arguments of `http-request return` for an address that is not public. */
export const NOT_FOUND = `status ${HIDDEN.status} ${contentOf(HIDDEN, '/')}`;

function contentOf({ status, body, retryAfterSeconds }: EdgeAnswer, surface: string): string {
  const text = JSON.stringify(HTTP_CONVENTIONS.errorShape(surface, { status, body }));
  const headers = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
  };
  const added = Object.entries(headers).map(([name, value]) => `hdr ${name} ${value}`);
  return [`content-type "application/json; charset=utf-8" string '${text}'`, ...added].join(' ');
}
