/** The error of Stripe's API, as its client reads it. */
interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
}

/** An answer that says no. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
  ) {
    super(body.message);
  }

  static invalid(message: string, param?: string, code?: string): Refusal {
    const named = { ...(code !== undefined && { code }), ...(param !== undefined && { param }) };
    return new Refusal(400, { type: 'invalid_request_error', message, ...named });
  }

  static missing(kind: string, id: string, param = 'id', status = 404): Refusal {
    const message = `No such ${kind}: '${id}'`;
    return new Refusal(status, { type: 'invalid_request_error', code: 'resource_missing', message, param });
  }
}
