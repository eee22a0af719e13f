import { DomainError } from '@evenkeel/kernel';

export class MalformedJson extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'malformed_json';
  constructor(message = 'The body is not valid JSON.') {
    super(message);
  }
}
