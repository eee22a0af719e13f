export { compileValidator, fieldsOf } from './body-schema';
export { explain } from './explain';
export { assertJsonContentType, inflateBody, MalformedJson } from './body-encoding';
export { expectSafe, parseJson } from './parse-json';
export { JsonBody, RawJson, StrictValidationPipe } from './strict-validation.pipe';
export { MAX_ISSUES, pointerTo, ValidationFailed, type IssueDetails, type ValidationIssue } from './validation-issue';
export {
  badCursor,
  CURSOR_SCHEMA,
  cursorOf,
  instantOf,
  microsAt,
  openedPlace,
  readCursor,
  sealedPlace,
  type ListPlace,
} from './lists/list-cursor';
export {
  assertIdempotencyKey,
  badQuery,
  clampedInteger,
  IDEMPOTENCY_KEY_SCHEMA,
  knownWord,
  UuidParam,
  type IntegerRange,
} from './lists/query-values';
export { pagesOf, Snapshot, type Query } from './lists/snapshot';
