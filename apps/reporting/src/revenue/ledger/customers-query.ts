import { LIMITED_IN_WORDS } from '@evenkeel/contracts';
import { badQuery } from '@evenkeel/platform/validation';
import { QueryMember } from '../../operator-access/query-member';
import type { Basis } from '../figures/span-rows';
import type { Period } from '../figures/window';
import { BasisMember, COMPARED, DaysMember, LimitMember, NamedDaysQuery, WordMember } from '../revenue-query';
import {
  CUSTOMER_CURSOR_PATTERN,
  CUSTOMER_SORTS,
  type CustomerPlace,
  type CustomerSort,
  readCustomerCursor,
} from './rank-customers';

/** Which wallets are listed, and in which order; what needs days is refused without them. */
export class CustomersQuery extends NamedDaysQuery {
  @LimitMember limit = 25;
  @DaysMember('only who paid on the current UTC day and those before it') days?: number;
  /** On which day a payment was spent. */
  @BasisMember basis: Basis = 'call';
  @WordMember(
    CUSTOMER_SORTS,
    'the highest or latest first, equals by their first payment; `window_spend` only with days; `window_fall`, only with ' +
      'compare: those who spent less than before, the greatest fall first',
    { default: 'lifetime_spend', ...LIMITED_IN_WORDS },
  )
  sort: CustomerSort = 'lifetime_spend';
  @QueryMember(
    { type: 'string', pattern: CUSTOMER_CURSOR_PATTERN, ...LIMITED_IN_WORDS },
    '`next_cursor` of the page before, with the same `sort` and days',
  )
  cursor?: string;
  @WordMember(['previous'], `only with days; ${COMPARED}`, LIMITED_IN_WORDS) compare?: 'previous';

  override check(): void {
    super.check();
    const { period, compare, sort } = this;
    if (!period && compare) throw badQuery('compare', 'conflict', 'must not be there without days');
    if (!period && sort === 'window_spend') throw badQuery('sort', 'conflict', 'must be another one without days');
    if (!compare && sort === 'window_fall') throw badQuery('sort', 'conflict', 'must be another one without compare');
  }

  /** Undefined for all wallets. */
  get period(): Period | undefined {
    return this.named;
  }

  /** @throws ValidationFailed unless it is a place in this order */
  get after(): CustomerPlace | undefined {
    return this.cursor === undefined ? undefined : readCustomerCursor(this.sort, this.cursor);
  }
}
