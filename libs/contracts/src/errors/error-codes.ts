/** The meaning of a code in `error`, and the next step of its caller. */
export interface ErrorMeaning {
  /** Of HTTP. */
  status: number;
  meaning: string;
  remedy: string;
}

const SIGN_AGAIN =
  'Nothing was charged. Sign a new payment by the offer in this answer, and send the same request with it.';
const WAIT = 'Wait for the seconds of Retry-After and send the identical request.';

/** Refusals of a payment or a credit: 402 with a fresh offer. */
const PAYMENT_ERRORS = {
  payment_required: payment(
    'This call is sold, and came without a payment.',
    'Sign the offer (x402) and send the same request with it in X-PAYMENT or PAYMENT-SIGNATURE.',
  ),
  invalid_payment_payload: payment(
    'The payment cannot be read.',
    'message names the member at fault. The members of an authorization are strings, also the numbers.',
  ),
  unsupported_scheme: payment(
    'The payment is of another scheme than the offer.',
    'Register the scheme exact, version 2, with your client and sign again.',
  ),
  unsupported_network: payment(
    'The payment is on another network than the offer.',
    'details.expected is the network. Sign a payment on it.',
  ),
  wrong_recipient: payment('The payment goes to another address than that of the offer.', SIGN_AGAIN),
  wrong_asset: payment('The payment is in another token than that of the offer.', SIGN_AGAIN),
  amount_mismatch: payment(
    'The amount is not the price.',
    'details.expected is the price in atomic units. Sign exactly that.',
  ),
  authorization_expired: payment(
    'The authorization has less than 6 seconds left.',
    'Check your clock, and sign again just before you send.',
  ),
  authorization_not_yet_valid: payment(
    'validAfter is more than 30 seconds in the future.',
    'Check your clock, and sign with an earlier validAfter.',
  ),
  authorization_valid_too_long: payment(
    'validBefore is too far in the future.',
    'Sign for at most maxTimeoutSeconds of the offer.',
  ),
  payment_already_used: payment(
    'This authorization, or the payment identifier with it, was used before.',
    'Sign anew, with a new identifier, for a new request; repeat a paid request unchanged to get its answer again.',
  ),
  payment_rejected: payment(
    'The facilitator did not verify the payment.',
    'details.invalid_reason says why, such as too little balance. Mend that and sign a new payment.',
  ),
  settlement_failed: payment('The settlement of the payment was refused.', SIGN_AGAIN),
  credit_spent: payment('This credit has paid for a call already.', 'Pay for this call, or use another credit.'),
  credit_invalid: payment(
    'This is not one of our credits, or it has expired.',
    'Check X-Agent-Credit, or pay for this call.',
  ),
} as const;

/** Why a file of habits could not be imported. */
const FILE_ERRORS = {
  file_empty: file('The file is empty.', 'Export it again, and check that it has rows.'),
  file_too_large: file('The file is too large.', 'Split it, or export a shorter time.'),
  file_kind_unknown: file(
    'The file is of no kind that we read.',
    'Send our own export, a CSV, or a backup of Loop Habit Tracker.',
  ),
  encoding_not_utf8: file('The text is not UTF-8.', 'Save the file as UTF-8.'),
  columns_missing: file('A required column is missing.', 'message names it. Add it to the first line.'),
  json_broken: file('The file is not valid JSON.', 'Export it again.'),
  json_without_habits: file(
    'The JSON holds no habits with days that are read.',
    'Send an export of ours, or of a tracker that is read.',
  ),
  json_version_unknown: file('The export is of a version that we do not know.', 'Export it again from this service.'),
  gzip_broken: file('The gzip file is damaged.', 'Pack it again.'),
  zip_broken: file('The zip file is damaged.', 'Pack it again.'),
  zip_without_habits: file('No file in the zip holds habits.', 'message says why. Pack the one export or backup.'),
  unpacked_too_large: file('The unpacked file is too large.', 'Split it, or export a shorter time.'),
  database_broken: file('The database file is damaged.', 'Make the backup again.'),
  database_not_of_loop: file(
    'The database is not one of Loop Habit Tracker.',
    'Send the backup that Loop Habit Tracker makes.',
  ),
  loop_version_unknown: file(
    'The backup is of a version of Loop Habit Tracker that we do not know.',
    'Export CSV there, and send that.',
  ),
  too_many_habits: file('The file has too many habits.', 'Split it.'),
  too_many_logs: file('The file has too many logs.', 'Split it, or export a shorter time.'),
  too_many_rows: file('The file has too many rows.', 'Split it.'),
  took_too_long: file('The file took too long to read.', 'Split it, or export a shorter time.'),
  took_too_much_memory: file('The file took too much memory to read.', 'Split it, or export a shorter time.'),
} as const;

/** Every code that `error` of an answer may have, by what to do about it; codes are never renamed. */
export const ERROR_CODES = {
  validation_failed: of(
    400,
    'The body, the query, a header or the path does not fit its schema.',
    'details.issues lists each mistake with its path. Correct them and send again.',
  ),
  malformed_json: of(
    400,
    'The body is not JSON, is nested deeper than 32 levels, or holds more than 10,000 values.',
    'Send one JSON value in UTF-8.',
  ),
  unknown_plan: of(400, 'There is no plan of this code.', 'GET /v1/billing/plans lists the codes.'),
  plan_not_purchasable: of(400, 'The free plan needs no checkout.', 'To go back to it, cancel the subscription.'),
  already_subscribed: of(400, 'There is a subscription already.', 'Change its plan, or open details.portal_path.'),
  no_subscription: of(400, 'There is no subscription to change.', 'Buy a plan by checkout first.'),
  invalid_signature: of(
    400,
    'The signature of the webhook is not valid.',
    'Check the signing secret at the payment provider, and the clock.',
  ),
  invalid_token: of(
    400,
    'The link was used before, a newer one is in its place, or its time is over.',
    'Use the newest mail, or ask for another.',
  ),
  password_breached: of(
    400,
    'The password was published, repeats one character, or is the address of the account.',
    'Choose another.',
  ),
  cursor_expired: of(400, 'Deletions since this cursor are no longer known.', 'Begin again without a cursor.'),
  ...FILE_ERRORS,
  unauthorized: of(401, 'The access token is missing or not valid.', 'Refresh it, or sign in again.'),
  invalid_credentials: of(401, 'The address or the password is wrong.', 'Correct them, or ask for a new password.'),
  invalid_refresh_token: of(401, 'The refresh token is unknown, or its session is over.', 'Sign in again.'),
  refresh_token_reused: of(
    401,
    'The refresh token was used before, so the session has ended.',
    'Sign in again, and keep only the newest token.',
  ),
  reauthentication_required: of(
    401,
    'This needs the password, or a session of the last five minutes.',
    'Send the password, or sign in again and repeat.',
  ),
  invalid_admin_token: of(401, 'X-Admin-Token is missing or wrong.', 'Send the token that the operator has set.'),
  ...PAYMENT_ERRORS,
  quota_exceeded: of(
    402,
    'The allowance of the plan is used up.',
    'Upgrade, or wait for the end of the month in details.period; where that is null, archive a habit.',
  ),
  premium_required: of(402, 'This is part of Premium.', 'Upgrade to use it.'),
  payment_declined: of(
    402,
    'The card was declined, and nothing has changed.',
    'Use another card in details.portal_path and try again.',
  ),
  payment_not_found: of(
    404,
    'No payment of the ledger copy has this id.',
    'Find it with q: by its nonce, transaction hash, wallet or request id.',
  ),
  not_found: of(
    404,
    'There is nothing at this address, or nothing of this name.',
    'Check the address and the identifiers in it; GET /openapi.json lists all addresses.',
  ),
  method_not_allowed: of(405, 'The address answers other methods.', 'Allow lists them.'),
  email_already_registered: of(409, 'There is an account with this address.', 'Sign in, or ask for a new password.'),
  idempotency_key_reused: of(
    409,
    'The Idempotency-Key came with another body before.',
    'Take a new key for a new request.',
  ),
  idempotency_in_progress: of(409, 'The request with this Idempotency-Key is still running.', WAIT),
  conflict: of(
    409,
    'This clientId is stored with other content.',
    'details.stored is the record, details.sent yours. Take a new clientId, or change the record.',
  ),
  precondition_failed: of(
    412,
    'The record has changed since the version of If-Match.',
    'Read it again, and send the change with its new ETag.',
  ),
  payload_too_large: of(413, 'The body is longer than details.max_bytes.', 'Send fewer items.'),
  uri_too_long: of(
    414,
    'The address with its query is longer than details.max_bytes.',
    'Send long values in the body.',
  ),
  unsupported_media_type: of(
    415,
    'The body is of another type or encoding.',
    'Send application/json in UTF-8, plain or gzip.',
  ),
  rate_limited: of(429, 'Too many requests; details.scope says whose limit it is.', WAIT),
  headers_too_large: of(
    431,
    'The headers are longer than details.max_bytes together.',
    'Send fewer or shorter headers.',
  ),
  internal_error: of(
    500,
    'Something failed on our side, and has been recorded.',
    'Send the identical request again; if it fails again, report it with X-Request-Id.',
  ),
  provider_not_configured: of(
    501,
    'This service has no payment provider.',
    'Its operator must set one; everything else works.',
  ),
  admin_not_configured: of(501, 'This service has no operator token.', 'Its operator must set ADMIN_TOKEN.'),
  payment_verification_unavailable: of(502, 'The payment could not be verified just now; nothing was charged.', WAIT),
  settlement_unknown: of(
    502,
    'Whether the payment was taken is not known yet.',
    'Do not sign again. Send the identical request after Retry-After: it never charges twice, and gets its answer.',
  ),
  service_unavailable: of(503, 'A part that this address needs is not available.', WAIT),
} as const;

/** Why a payment or a credit was not taken. */
export type PaymentErrorCode = keyof typeof PAYMENT_ERRORS;

/** The page that explains the codes, each under an anchor of its name. */
export const ERRORS_PATH = '/docs/errors';

/** The `type` of a problem document is a code below it. */
export const PROBLEMS_PATH = '/problems';

function of(status: number, meaning: string, remedy: string): ErrorMeaning {
  return { status, meaning, remedy };
}

function payment(meaning: string, remedy: string): ErrorMeaning {
  return of(402, meaning, remedy);
}

function file(meaning: string, remedy: string): ErrorMeaning {
  return of(400, meaning, remedy);
}
