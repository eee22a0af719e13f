import { UPGRADE_PATHS } from '@evenkeel/contracts';
import { DomainError } from '@evenkeel/kernel';

/** Also when it is somebody else's: nobody learns what exists. */
export class HabitNotFound extends DomainError {
  readonly kind = 'not_found';
  readonly code = 'not_found';
  constructor() {
    super('There is no such habit.');
  }
}

/** The plan allows no more active habits, or no log to this one of them. */
export class ActiveHabitsExceeded extends DomainError {
  readonly kind = 'payment_required';
  readonly code = 'quota_exceeded';
  override readonly details: Readonly<Record<string, unknown>>;

  constructor({ used, limit }: { used: number; limit: number }) {
    super(`The Free plan allows ${limit} active habits.`);
    this.details = {
      ...{ feature: 'active_habits', used, limit, limit_kind: 'hard', period: null },
      ...UPGRADE_PATHS,
      payment_headers_accepted: false,
    };
  }
}

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
