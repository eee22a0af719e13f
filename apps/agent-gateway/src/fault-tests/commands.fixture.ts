import type { ModeCommand } from '@evenkeel/facilitator';
import type { Loss } from '@evenkeel/platform/testing';
import fc, { type AsyncCommand } from 'fast-check';
import { CRASH_POINTS } from '../config/agent-gateway.config';
import type { Sequence } from './sequence.fixture';
import type { Request } from './site.fixture';

/** One step of a sequence. The same checks follow every step. */
class Step implements AsyncCommand<object, Sequence> {
  constructor(
    private readonly name: string,
    private readonly act: (sequence: Sequence) => void | Promise<void>,
  ) {}

  check(): boolean {
    return true;
  }

  async run(_: object, sequence: Sequence): Promise<void> {
    await this.act(sequence);
    await sequence.check();
  }

  toString(): string {
    return this.name;
  }
}

const place = fc.constantFrom(0, 1);
/** Most often the same payment, so that repeats, copies and uncertain outcomes meet. */
const payment = fc.constantFrom(0, 0, 0, 0, 1, 1, 2);
const request = fc.constantFrom<Request>('X', 'X', 'X', 'X', 'X', 'Y');

interface Sent {
  at: number;
  index: number;
  what: Request;
}
const sent = fc.record<Sent>({ at: place, index: payment, what: request });
const described = ({ at, index, what }: Sent) => `${what}${index} to ${at}`;

async function call(sequence: Sequence, { at, index, what }: Sent): Promise<void> {
  await sequence.send(at, index, what);
  await sequence.answers();
}

const sending = sent.map(
  (one) => new Step(`send ${described(one)}`, (sequence) => sequence.send(one.at, one.index, one.what)),
);
const calling = sent.map((one) => new Step(`call ${described(one)}`, (sequence) => call(sequence, one)));
const answers = fc.constant(new Step('answers', (sequence) => sequence.answers()));

const at = (on: 'settle' | 'verify', ...modes: string[]) => modes.map((mode): ModeCommand => ({ mode, on }));
const whole = (...modes: string[]) => modes.map((mode): ModeCommand => ({ mode }));
const quickFaults: ModeCommand[] = [
  ...at('settle', 'reset', 'bad-json', '500-with-reason'),
  ...at('verify', 'invalid', '500', 'reset', 'bad-json'),
  ...whole('refused', 'settled-but-answer-lost', 'settled-without-hash', 'duplicate', 'reverted'),
  ...whole('pending-then-success', 'pending-then-never', 'cancelled-after-verify', 'submitted-after-verify'),
  { mode: 'refused', reason: 'unexpected_error' },
  { mode: 'settled-but-answer-lost', then: '500' },
  { mode: 'pending-then-success', ms: 60_000 },
  { mode: 'slow', on: ['verify', 'settle'], ms: 30 },
];
/** Faults that use up the time of a request. */
const slowFaults: ModeCommand[] = [
  ...at('settle', 'hang'),
  ...at('verify', 'hang'),
  { mode: 'slow', on: 'settle', ms: 400 },
  { mode: 'settled-but-answer-lost', then: 'hang' },
];
const fault = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...quickFaults) }, fc.constantFrom(...slowFaults));
const faulty = fc.tuple(fault, fc.constantFrom(1, 2), sent, fc.boolean()).map(
  ([mode, count, one, isAwaited]) =>
    new Step(`${JSON.stringify(mode)} ${count} times, ${isAwaited ? 'call' : 'send'} ${described(one)}`, (sequence) => {
      sequence.site.worker.facilitator.control({ ...mode, count });
      return isAwaited ? call(sequence, one) : sequence.send(one.at, one.index, one.what);
    }),
);

/** The same request at both replicas, while its payment settles longer than either may take to answer. */
const copied = sent.map(
  (one) =>
    new Step(`settle hangs, call ${described(one)}, which goes to ${1 - one.at} too`, async (sequence) => {
      sequence.site.worker.facilitator.control({ mode: 'hang', on: 'settle', count: 1 });
      await sequence.send(1 - one.at, one.index, one.what);
      await call(sequence, one);
    }),
);

const elsewhere = fc.tuple(payment, fc.boolean()).map(
  ([index, isCancelled]) =>
    new Step(`${isCancelled ? 'cancel' : 'third party submits'} ${index}`, ({ site, payments }) => {
      const { authorization, nonce } = payments[index]!;
      const { facilitator } = site.worker;
      if (isCancelled) facilitator.control({ action: 'cancel', payer: authorization.from, nonce });
      else facilitator.control({ action: 'submit', authorization });
    }),
);

const kill = place.map((at) => new Step(`kill ${at}`, async ({ site }) => (await site.replica(at)).die()));
const killAt = fc.tuple(sent, fc.constantFrom(...CRASH_POINTS)).map(
  ([one, point]) =>
    new Step(`killed at ${point}, call ${described(one)}`, async (sequence) => {
      (await sequence.site.replica(one.at)).dieAt(point);
      await call(sequence, one);
    }),
);

/** The claim, the settlement, and the end of a transaction that records an uncertain outcome, a failure or a late answer. */
const STATEMENTS = ['claim-payment', 'record-settlement', 'COMMIT'];
const LOSSES: Loss[] = ['unwritten', 'unanswered', 'written-later'];
const losing = fc.tuple(sent, fc.constantFrom(...STATEMENTS), fc.constantFrom(...LOSSES)).map(
  ([one, statement, loss]) =>
    new Step(`${statement} ${loss}, call ${described(one)}`, async (sequence) => {
      (await sequence.site.replica(one.at)).line.lose({ statement, loss });
      await call(sequence, one);
    }),
);

/** Seconds. A time longer than a request may last passes only when no request is running. */
const time = fc.constantFrom(1, 5, 16, 61, 301).map(
  (seconds) =>
    new Step(`${seconds} s pass`, async (sequence) => {
      if (seconds > 5) await sequence.answers();
      await sequence.site.pass(seconds * 1_000);
    }),
);
const workerPass = fc.constant(new Step('worker', (sequence) => sequence.workerPass()));

const steps = [sending, calling, calling, faulty, faulty, faulty, copied, answers, losing, elsewhere, time, workerPass];
const several = (which: typeof steps) => fc.noBias(fc.commands(which, { maxCommands: 14, size: 'max' }));

/** All steps of the model in docs/model. One sequence in five kills a gateway, since starting one takes long. */
export const SEQUENCES = fc.oneof(
  { weight: 4, arbitrary: several(steps) },
  { weight: 1, arbitrary: several([...steps, kill, killAt, killAt]) },
);
