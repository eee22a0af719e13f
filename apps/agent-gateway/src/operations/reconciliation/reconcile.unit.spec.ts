import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '@evenkeel/kernel';
import type { AgentGatewayConfig } from '../../config/agent-gateway.config';
import { Reconcile } from './reconcile';
import { reachedBy, type Comparison, type Period } from './report';

const noon = new Date('2026-01-31T12:00:00.000Z');
const since = new Date(noon.getTime() - 3_600_000);

it('each comparison gets on while there is time, so that the next run begins later than this one', async () => {
  let steps = 0;
  /** Never comes to an end by itself. */
  const endless = (name: Comparison['with']) => ({
    isPossible: true,
    confirmed: async (until: Date) => until,
    async execute({ isLate, since: begun }: Period): Promise<Comparison> {
      const comparison = { with: name, matched: 0, oursOnly: [], theirsOnly: [], comparedUntil: begun };
      for (; !isLate(); steps++) {
        comparison.comparedUntil = new Date(comparison.comparedUntil.getTime() + 1_000);
        await nextTurn();
      }
      return comparison;
    },
  });
  const none = { isPossible: false, needPerson: async () => [], sharing: async () => [] };
  const parts = [endless('outbox'), endless('chain'), none, none, none] as unknown as Parts;
  const reconcile = new Reconcile({} as AgentGatewayConfig, new ManualClock(noon), ...parts);
  const report = await reconcile.execute({ since, isLate: () => steps >= 10 });
  expect(reachedBy(report).getTime()).toBeGreaterThan(since.getTime());
});

type Parts = ConstructorParameters<typeof Reconcile> extends [unknown, unknown, ...infer Rest] ? Rest : never;
