import { DomainError } from '@evenkeel/kernel';

/** A `clientId` that is stored came again and said something else. */
export class ClientIdConflict<Stored extends object> extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'conflict';
  override readonly details: { stored: Stored; sent: object };

  /** @param sent what would have been stored, without what the service adds */
  constructor(stored: Stored, sent: object) {
    super('This clientId is stored with other content. Take a new one, or change what is stored.');
    this.details = { stored, sent };
  }
}
