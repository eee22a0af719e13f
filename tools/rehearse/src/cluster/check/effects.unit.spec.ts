import { contradictions, type Done, type Read, type Told } from './effects';

interface Books {
  ledger: object[];
  copies: object[];
  /** Nonces that were announced as uncertain. */
  uncertain: string[];
  spent: number;
  logs: string[];
  used: number;
  stored: string[];
  subscriptions: object[];
  told: Told;
}

const settlement = { nonce: '0xA1' } as Told['ledger']['settlements'][number];
const call = { nonce: '0xa1', settle: 1, settleBodies: 1 } as Told['ledger']['payments'][number];
const event = { id: 'evt_1', type: 'invoice.paid', pending_webhooks: 0 } as Told['stripe']['events'][number];
const subscription = { id: 'sub_1', status: 'active' } as Told['stripe']['subscriptions'][number];

/** What one payment, one credit, one log, two analyses and two events leave behind. */
const right: Books = {
  ledger: [{ id: 'p1', nonce: '0xa1', state: 'settled', value: '50000' }],
  copies: [{ id: 'p1', state: 'settled', value: '50000' }],
  uncertain: [],
  spent: 1,
  logs: ['l1'],
  used: 2,
  stored: ['evt_1', 'evt_2'],
  subscriptions: [{ id: 'sub_1', status: 'active' }],
  told: {
    ledger: { settlements: [settlement], payments: [call] },
    stripe: { events: [event], subscriptions: [subscription] },
  },
};
const done: Done = {
  agents: {
    ...{ paid: new Set(['0xa1']), unanswered: new Map([['0xc3', { path: '/', body: '', payment: null as never }]]) },
    ...{ redeemed: new Set(['c1']), uncertainCredits: new Set() },
  },
  people: { ids: ['u1'], logged: new Set(['l1']), uncertainLogs: new Set(['l9']), analyses: 2, uncertainAnalyses: 0 },
  webhooks: { taken: new Set(['evt_2']), unanswered: new Map([['evt_9', '']]) },
};

function found(change: Partial<Books> = {}, told = done): Promise<string[]> {
  const books = { ...right, ...change };
  const read = (async (app, sql) => {
    if (sql.includes('audit.outbox')) return books.uncertain.map((nonce) => ({ nonce }));
    if (sql.includes('audit.payments')) return app === 'reporting' ? books.copies : books.ledger;
    if (sql.includes('audit.credits')) return [{ spent: books.spent }];
    if (sql.includes('habit_logs')) return books.logs.map((id) => ({ id }));
    if (sql.includes('audit.usage')) return [{ used: books.used }];
    if (sql.includes('audit.provider_events')) return books.stored.map((id) => ({ id, type: 'invoice.paid' }));
    return books.subscriptions;
  }) as Read;
  return contradictions(read, books.told, told);
}

it('finds nothing where all books say the same', async () => {
  expect(await found()).toEqual([]);
});

it('leaves open what an agent was not told', async () => {
  const also = { ledger: [...right.ledger, { id: 'p2', nonce: '0xc3', state: 'settled', value: '1' }] };
  expect(await found({ ...also, copies: [...right.copies, { id: 'p2', state: 'settled', value: '1' }] })).toEqual([]);
});

it('leaves open what was not answered: a log, an event, an analysis, a credit', async () => {
  const uncertain = {
    ...{ ...done, agents: { ...done.agents, uncertainCredits: new Set(['c2']) } },
    people: { ...done.people, uncertainAnalyses: 1 },
  };
  expect(await found({ logs: ['l1', 'l9'], stored: [...right.stored, 'evt_9'] })).toEqual([]);
  expect(await found({ used: 3, spent: 2 }, uncertain)).toEqual([]);
  expect(await found({ used: 4, spent: 3 }, uncertain)).toHaveLength(3);
});

const [row] = right.ledger;
const { ledger, stripe } = right.told;
const askedTwice = { stripe, ledger: { ...ledger, payments: [{ ...call, nonce: '0xA1', settle: 2 }] } };

it('leaves open that an uncertain payment was asked for again', async () => {
  expect(await found({ told: askedTwice, uncertain: ['0xa1'] })).toEqual([]);
});

it.each<[string, Partial<Books>, RegExp]>([
  [
    'a payment that the ledger has lost',
    { ledger: [], copies: [] },
    /answered payments: 1 of 1 are not in the ledger: 0xa1/,
  ],
  ['one that is there twice', { ledger: [row!, row!] }, /the ledger: 1 are there twice/],
  [
    'one that was never answered',
    { ledger: [row!, { ...row, nonce: '0xb2' }] },
    /the ledger: 1 are not among answered payments: 0xb2/,
  ],
  [
    'one that is not settled',
    { ledger: [row!, { ...row, state: 'needs_reconciliation' }] },
    /a payment is not settled/,
  ],
  ['one that reporting lacks', { copies: [] }, /the ledger: 1 of 1 are not in reporting/],
  ['another sum in reporting', { copies: [{ id: 'p1', state: 'settled', value: '1' }] }, /p1 1/],
  [
    'one that moved money twice',
    { told: { stripe, ledger: { ...ledger, settlements: [settlement, settlement] } } },
    /the facilitator: 1 are there twice/,
  ],
  [
    'one that was asked for twice',
    { told: askedTwice, uncertain: ['0xb2'] },
    /settled 2 times, and was never uncertain/,
  ],
  [
    'one that was asked for again in other words',
    { told: { stripe, ledger: { ...ledger, payments: [{ ...call, settleBodies: 2 }] } } },
    /0xa1 was asked to be settled with 2 different bodies/,
  ],
  ['a credit that was spent twice', { spent: 2 }, /credits that were answered: 1, and 2 in the ledger/],
  ['a log that is lost', { logs: [] }, /answered logs: 1 of 1 are not in accounts/],
  ['a log that is there twice', { logs: ['l1', 'l1'] }, /accounts: 1 are there twice/],
  ['an analysis that was counted twice', { used: 3 }, /answered analyses: 2, and 3 in accounts/],
  ['an event that billing has lost', { stored: ['evt_1'] }, /events of the provider: 1 of 2 are not in billing: evt_2/],
  [
    'an event that was not delivered',
    { told: { ledger, stripe: { ...stripe, events: [{ ...event, pending_webhooks: 1 }] } } },
    /evt_1 \(invoice\.paid\) was not delivered/,
  ],
  ['a subscription that stands otherwise', { subscriptions: [{ id: 'sub_1', status: 'canceled' }] }, /sub_1 canceled/],
])('finds %s', async (_what, change, sentence) => {
  expect((await found(change)).join('\n')).toMatch(sentence);
});
