import { LIMITED_IN_WORDS } from '@evenkeel/contracts';
import { badQuery, knownWord } from '@evenkeel/platform/validation';
import type { Period } from '../figures/window';
import type { QueryPart } from '../revenue-query';
import type { Basis } from '../figures/basis';
import { BASIS, COMPARE, OPTIONAL_PERIOD } from '../query-parts';
import {
  CUSTOMER_CURSOR_PATTERN,
  CUSTOMER_SORTS,
  type CustomerPlace,
  type CustomerSort,
  readCustomerCursor,
} from './rank-customers';

export interface CustomersOrder {
  sort: CustomerSort;
  after: CustomerPlace | undefined;
  /** Undefined for all wallets. */
  period: Period | undefined;
  /** On which day a payment was spent. */
  basis: Basis;
  compare: boolean;
}

const SORT_SCHEMA = { type: 'string', enum: [...CUSTOMER_SORTS], default: 'lifetime_spend', ...LIMITED_IN_WORDS };
const CURSOR_SCHEMA = { type: 'string', pattern: CUSTOMER_CURSOR_PATTERN, ...LIMITED_IN_WORDS };

/** Which wallets are listed, and in which order; what needs days is refused without them. */
export const CUSTOMERS_ORDER: QueryPart<CustomersOrder> = {
  members: [
    ...OPTIONAL_PERIOD.members,
    ...BASIS.members,
    {
      name: 'sort',
      enum: [...CUSTOMER_SORTS],
      schema: SORT_SCHEMA,
      description:
        'the highest or latest first, equals by their first payment; `window_spend` only with days; `window_fall`, only with ' +
        'compare: those who spent less than before, the greatest fall first',
    },
    {
      name: 'cursor',
      schema: CURSOR_SCHEMA,
      description: '`next_cursor` of the page before, with the same `sort` and days',
    },
    ...COMPARE.members.map((member) => ({
      ...member,
      schema: { type: 'string' as const, enum: ['previous'], ...LIMITED_IN_WORDS },
      description: `only with days; ${'description' in member ? member.description : ''}`,
    })),
  ],
  read: (texts) => {
    const period = OPTIONAL_PERIOD.read(texts);
    const compare = COMPARE.read(texts);
    const sort = knownWord('sort', texts.sort, CUSTOMER_SORTS) ?? 'lifetime_spend';
    if (!period && compare) throw badQuery('compare', 'conflict', 'must not be there without days');
    if (!period && sort === 'window_spend') throw badQuery('sort', 'conflict', 'must be another one without days');
    if (!compare && sort === 'window_fall') throw badQuery('sort', 'conflict', 'must be another one without compare');
    const after = texts.cursor === undefined ? undefined : readCustomerCursor(sort, texts.cursor);
    return { sort, after, period, basis: BASIS.read(texts), compare };
  },
};
