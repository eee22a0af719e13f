import { characterCount, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { badQuery, CURSOR_SCHEMA, type ListPlace, readCursor } from '@evenkeel/platform/validation';
import { QueryMember } from '../../operator-access/query-member';
import type { Basis } from '../figures/span-rows';
import type { Period } from '../figures/window';
import {
  BasisMember,
  BasisQuery,
  DaysMember,
  LimitMember,
  NamedDaysQuery,
  readDay,
  WordMember,
} from '../revenue-query';
import { PAYMENT_GROUPS, PAYMENT_STATUSES, type PaymentGroup, type PaymentStatus } from './payment-rows';

/** Names of the lists in their cursors: one has places by verification, the other by settlement or failure. */
export const LISTS = { call: 'payments', settlement: 'payments-settled' } as const satisfies Record<Basis, string>;

const StatusMember = WordMember(PAYMENT_STATUSES, 'only payments with it');
const WalletMember = QueryMember(
  { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
  'only payments of this wallet, in upper or lower case',
  (name, text) => {
    if (!/^0x[0-9a-f]{40}$/i.test(text)) throw badQuery(name, 'bad_format', 'must be 0x and 40 hexadecimal digits');
    return text.toLowerCase();
  },
);

const SHORT_TEXT = { type: 'string', minLength: 1, maxLength: 200, pattern: '^[^\\u0000]+$' };

function shortText(name: string, text: string): string {
  if (text.length === 0) throw badQuery(name, 'too_short', 'must have a character');
  if (characterCount(text) > SHORT_TEXT.maxLength) {
    throw badQuery(name, 'too_long', `must have at most ${SHORT_TEXT.maxLength} characters`);
  }
  // PostgreSQL takes no text with it.
  if (text.includes('\0')) throw badQuery(name, 'bad_format', 'must not have the character NUL');
  return text;
}

/** Which payments are listed, all of these at once. */
export class PaymentsQuery extends NamedDaysQuery {
  @LimitMember limit = 25;
  @QueryMember(
    SHORT_TEXT,
    'only the payments whose id, nonce, transaction hash, wallet or request id begins with it; fewer than 8 characters ' +
      'are a whole request id',
    shortText,
  )
  q?: string;
  @StatusMember status?: PaymentStatus;
  @WordMember(PAYMENT_GROUPS, 'only payments of this group of `reconciliation`') group?: PaymentGroup;
  @QueryMember(SHORT_TEXT, `only payments for this path, such as ${PAID_ENDPOINTS[0]!.path}`, shortText)
  endpoint?: string;
  /** Lower case. */
  @WalletMember wallet?: string;
  @QueryMember({ type: 'string', format: 'date' }, 'only payments of this UTC day', readDay) day?: string;
  @DaysMember('only payments of the current UTC day and those before it') days?: number;
  /** Of which instant its day and its place are; by settlement only payments that have ended are listed. */
  @BasisMember basis: Basis = 'call';
  @QueryMember(CURSOR_SCHEMA, '`next_cursor` of the page before') cursor?: string;

  /** Undefined for all days. */
  get period(): Period | undefined {
    return this.day === undefined ? this.named : { from: this.day, to: this.day };
  }

  /** @throws ValidationFailed unless it is a place in this list */
  get after(): ListPlace | undefined {
    return readCursor(LISTS[this.basis], this.cursor);
  }
}

export class PaymentsFileQuery extends BasisQuery {
  @StatusMember status?: PaymentStatus;
  @WalletMember wallet?: string;
}
