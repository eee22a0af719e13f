export { compileValidator } from './body-schema';
export { assertIdempotencyKey, IDEMPOTENCY_KEY_SCHEMA } from './idempotency-key';
export { explain } from './explain';
export { assertJsonContentType, inflateBody, MalformedJson } from './body-encoding';
export { MAX_DEPTH, MAX_NODES, parseJson } from './parse-json';
export { RequestValidator, type ItemWarning, type Verdict } from './request-validator';
export { JsonBody, RawJson, StrictValidationPipe, type RawBody } from './strict-validation.pipe';
export {
  issueDetails,
  Place,
  sentence,
  ValidationFailed,
  type IssueCode,
  type IssueDetails,
  type ValidationIssue,
} from './validation-issue';
