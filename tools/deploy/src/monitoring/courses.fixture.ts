import { BUDGETS } from './budgets.fixture';
import { PLATFORM } from './platform.fixture';
import { PAYMENTS } from './payments.fixture';
import { page, relay, ticket, type Played } from './played.fixture';
import { WEBHOOKS } from './webhooks.fixture';

/** Of each alert one course that makes it fire, and one near it that must not; by the file of its rule. */
export const COURSES: Record<string, Record<string, Played>> = {
  'budgets.yaml': BUDGETS,
  'events.yaml': {
    'an event waits for long': {
      series: { 'evenkeel_outbox_oldest_seconds{service="billing"}': '0+60x20' },
      at: '15m',
      firing: page('OutboxLag', { service: 'billing' }, 'An event of billing has waited 15m 0s to be published.'),
    },
    'events wait for a minute': {
      series: { 'evenkeel_outbox_oldest_seconds{service="billing"}': '0 90 0 90 0 90 0 0x20' },
      at: '15m',
      firing: [],
    },
    'no relay works': {
      series: { [relay('a')]: '1 0x20', [relay('b')]: '0x21' },
      at: '15m',
      firing: page('RelayMissing', { service: 'billing' }, 'No worker of billing publishes events.'),
    },
    'the workers of a service are gone, and their series with them': {
      series: { [relay('a', 'accounts')]: '1x5 stale' },
      at: '15m',
      firing: page('RelayMissing', { service: 'accounts' }, 'No worker of accounts publishes events.'),
    },
    'another relay has taken over': {
      series: { [relay('a')]: '1 0x20', [relay('b')]: '0 0 1x20' },
      at: '15m',
      firing: [],
    },
    'a consumer falls behind': {
      series: { 'evenkeel_consumer_lag_seconds{service="reporting",subscription="reporting"}': '0+60x30' },
      at: '25m',
      firing: page('ConsumerLag', { subscription: 'reporting' }, 'reporting is 25m 0s behind its stream.'),
    },
    'a consumer has much to read, and keeps up': {
      series: {
        'evenkeel_consumer_lag{service="reporting",subscription="reporting"}': '9000x30',
        'evenkeel_consumer_lag_seconds{service="reporting",subscription="reporting"}': '20x30',
      },
      at: '25m',
      firing: [],
    },
    'a consumer catches up': {
      series: { 'evenkeel_consumer_lag_seconds{service="reporting",subscription="reporting"}': '900 0x30' },
      at: '25m',
      firing: [],
    },
    'an event is parked': {
      series: { 'evenkeel_parked_aggregates{service="accounts",subscription="accounts"}': '1x10' },
      at: '5m',
      firing: page(
        'ParkedEvents',
        { subscription: 'accounts' },
        '1 aggregates of accounts wait for an event that could not be applied.',
      ),
    },
    'none is parked any more': {
      series: { 'evenkeel_parked_aggregates{service="accounts",subscription="accounts"}': '1 0x10' },
      at: '5m',
      firing: [],
    },
  },
  'money.yaml': {
    ...PAYMENTS,
    'the facilitator names another payer': {
      series: { 'evenkeel_settle_contradictions_total{service="agent-gateway"}': '0 0 1x30' },
      at: '10m',
      firing: page(
        'SettleContradictions',
        {},
        'The facilitator has claimed success for another payment, payer or network.',
      ),
    },
    'it named one long ago': {
      series: { 'evenkeel_settle_contradictions_total{service="agent-gateway"}': '1x90' },
      at: '80m',
      firing: [],
    },
    'the ledger differs': {
      series: { 'evenkeel_reconciliation_differences{service="agent-gateway"}': '0 2x5' },
      at: '3m',
      firing: page('ReconciliationDifferences', {}, '2 payments differ from what facilitator and chain say.'),
    },
    'the ledger agrees': {
      series: { 'evenkeel_reconciliation_differences{service="agent-gateway"}': '2 0x5' },
      at: '3m',
      firing: [],
    },
    'calls to Stripe are stopped': {
      series: { 'evenkeel_circuit_open{service="billing",dependency="stripe"}': '0 1x10' },
      at: '6m',
      firing: page(
        'CircuitOpen',
        { service: 'billing', dependency: 'stripe' },
        'billing does not call stripe, which has failed too often.',
      ),
    },
    'they were for a moment': {
      series: { 'evenkeel_circuit_open{service="billing",dependency="stripe"}': '0 1 0x10' },
      at: '6m',
      firing: [],
    },
    'the key of the facilitator is wrong': {
      series: {
        'evenkeel_facilitator_unusable_total{service="agent-gateway",instance="a",call="verify",status="401"}':
          '0+1x30',
      },
      at: '25m',
      firing: page(
        'FacilitatorUnusable',
        { call: 'verify', status: '401' },
        'The facilitator answers verify with 401, which decides nothing: 15 times in 15 minutes.',
      ),
    },
    'the facilitator was at its limit for a moment': {
      series: {
        'evenkeel_facilitator_unusable_total{service="agent-gateway",instance="a",call="verify",status="429"}':
          '0x10 3x20',
      },
      at: '20m',
      firing: [],
    },
    'a price differs at Stripe': {
      series: { 'evenkeel_provider_differences{service="billing",kind="price"}': '0 1x5' },
      at: '3m',
      firing: ticket(
        'ProviderDifferences',
        { kind: 'price' },
        '1 differences of the kind price between billing and Stripe.',
      ),
    },
    'nothing differs at Stripe': {
      series: { 'evenkeel_provider_differences{service="billing",kind="price"}': '1 0x5' },
      at: '3m',
      firing: [],
    },
    'nobody knows whose an event is': {
      series: { 'evenkeel_unlinked_events{service="billing"}': '1x80' },
      at: '70m',
      firing: ticket('UnlinkedEvents', {}, '1 events of Stripe belong to nobody who is known.'),
    },
    'its customer was linked soon': {
      series: { 'evenkeel_unlinked_events{service="billing"}': '1x5 0x80' },
      at: '70m',
      firing: [],
    },
    ...WEBHOOKS,
    'Stripe still knows who has left': {
      series: { 'evenkeel_departures_waiting{service="billing"}': '1x1500' },
      at: '1450m',
      firing: ticket('DeparturesWaiting', {}, '1 people have left, and Stripe still knows them.'),
      every: '10m',
    },
    'Stripe forgets within a day': {
      series: { 'evenkeel_departures_waiting{service="billing"}': '1x1000 0x500' },
      at: '1450m',
      firing: [],
      every: '10m',
    },
  },
  'platform.yaml': PLATFORM,
};
