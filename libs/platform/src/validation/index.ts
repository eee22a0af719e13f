export { compileValidator } from './body-schema';
export { assertIdempotencyKey, IDEMPOTENCY_KEY_SCHEMA } from './idempotency-key';
export { explain } from './explain';
export { assertJsonContentType, inflateBody, MalformedJson } from './body-encoding';
export { parseJson } from './parse-json';
export { RequestValidator } from './request-validator';
export { JsonBody, RawJson, StrictValidationPipe } from './strict-validation.pipe';
export { Place, ValidationFailed, type IssueCode, type IssueDetails, type ValidationIssue } from './validation-issue';
