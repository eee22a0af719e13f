const UNIQUE_VIOLATION = '23505';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

interface DatabaseError {
  code?: string;
  constraint?: string;
}

/**
 * Whether a unique key refused the row.
 * @param constraint only this key; any when left out
 */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, constraint: violated } = databaseError(error);
  return code === UNIQUE_VIOLATION && (constraint === undefined || constraint === violated);
}

/** Whether PostgreSQL gave the transaction up in favour of another: the same work may succeed at once. */
export function isSerializationFailure(error: unknown): boolean {
  const { code } = databaseError(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}

/** pg throws the error itself, TypeORM wraps it. */
function databaseError(error: unknown): DatabaseError {
  if (typeof error !== 'object' || error === null) return {};
  return (error as { driverError?: DatabaseError }).driverError ?? error;
}
