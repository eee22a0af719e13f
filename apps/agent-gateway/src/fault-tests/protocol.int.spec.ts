import fc from 'fast-check';
import { SEQUENCES } from './commands.fixture';
import { Sequence } from './sequence.fixture';
import { Site } from './site.fixture';

/** The seed of a failure repeats it, apart from the timing. */
const RUNS = Number(process.env.PROTOCOL_RUNS ?? sized(24, 1_000));
const SEED = Number(process.env.PROTOCOL_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Searches for the shortest failing sequence, which takes minutes. */
const SHRINKS = process.env.PROTOCOL_SHRINK === 'on';
const MOST_ROUNDS = 4;
const TIME_MS = MOST_ROUNDS * RUNS * 3_000 + 300_000;

/** Answers that must have occurred, else the sequences show nothing. */
const ANSWERS = [
  '200',
  '429 rate_limited',
  'none',
  '402 settlement_failed',
  '402 payment_rejected',
  '402 authorization_expired',
  '402 payment_already_used',
  '502 settlement_unknown',
  '502 payment_verification_unavailable',
];

let sites: Site[];
beforeAll(async () => {
  // Two sites, so that one works while the other waits.
  sites = [await Site.open(), await Site.open()];
}, 60_000);
afterAll(() => Promise.all(sites.map((site) => site.close())), 60_000);

it(
  `keeps its promises through ${RUNS} sequences of faults (PROTOCOL_SEED=${SEED})`,
  async () => {
    const answered = new Set<string>();
    const keepsItsPromises = (seed: number) => (site: Site, at: number) =>
      fc.assert(
        fc.asyncProperty(SEQUENCES, async (commands) => {
          const sequence = await Sequence.begin(site);
          await fc.asyncModelRun(() => ({ model: {}, real: sequence }), commands);
          await sequence.end();
          for (const answer of sequence.answered) answered.add(answer);
        }),
        { numRuns: Math.ceil(RUNS / sites.length), seed: seed + at, endOnFailure: !SHRINKS },
      );
    const hasAll = () => ANSWERS.every((answer) => answered.has(answer));
    // Few sequences may miss a rare answer by chance: then as many again are played.
    for (let round = 0; round < MOST_ROUNDS && !hasAll(); round++) {
      // Both run to their end: closing one must not cut off the other.
      const ended = await Promise.allSettled(sites.map(keepsItsPromises(SEED + round * sites.length)));
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    }
    expect([...answered]).toEqual(expect.arrayContaining(ANSWERS));
    for (const { worker } of sites) await worker.expectAudited();
  },
  TIME_MS,
);
