import { noon, terms } from '../../payments/payment.fixture';
import { TransferLog, type Block, type Transfer } from '../../recovery/chain.port';
import { CompareWithChain } from './compare-with-chain';
import type { LedgerPages } from './ledger-pages';
import type { TransferFinder } from './transfer-finder';

const BLOCK_MS = 2_000;
const at = (block: bigint) => new Date(noon.getTime() + Number(block) * BLOCK_MS);

/** A node with 10,000 blocks since noon that answers for at most so many at once. */
class StubLog extends TransferLog {
  readonly asked: [from: bigint, to: bigint][] = [];
  constructor(private readonly most: bigint) {
    super();
  }
  override head = async (): Promise<Block> => ({ number: 10_000n, at: at(10_000n) });
  override block = async (number: bigint): Promise<Block> => ({ number, at: at(number) });
  override firstBlockSince = async (since: Date): Promise<bigint | null> =>
    BigInt(Math.ceil((since.getTime() - noon.getTime()) / BLOCK_MS));
  override transaction = async () => null;
  override async transfersTo(
    _to: string,
    _asset: string,
    { from, to }: { from: bigint; to: bigint },
  ): Promise<Transfer[]> {
    if (to - from >= this.most) throw new Error('query returned more than 10000 results');
    this.asked.push([from, to]);
    return [];
  }
}

async function* noPayments(): AsyncGenerator<never[]> {}

function compare(log: StubLog, until: Date, isLate = () => false) {
  const ledger = { between: noPayments } as unknown as LedgerPages;
  const stretch = { since: noon, until, isLate, report: () => undefined };
  return new CompareWithChain(terms, ledger, {} as TransferFinder, log).execute(stretch);
}

it('asks for at most 2,000 blocks at once, each block once', async () => {
  const log = new StubLog(2_000n);
  const { comparedUntil } = await compare(log, at(5_000n));
  expect(log.asked).toEqual([
    [0n, 1_999n],
    [2_000n, 3_999n],
    [4_000n, 4_999n],
  ]);
  expect(comparedUntil).toEqual(at(5_000n));
});

it('asks a node that refuses so many for fewer, and still leaves none out', async () => {
  const log = new StubLog(600n);
  await compare(log, at(3_000n));
  let next = 0n;
  for (const [from, to] of log.asked) {
    expect(from).toBe(next);
    next = to + 1n;
  }
  expect(next).toBe(3_000n);
});

it('gives up on a node that refuses any number', async () => {
  await expect(compare(new StubLog(1n), at(3_000n))).rejects.toThrow('more than 10000 results');
});

it('stops when the time is up, and goes on from where it came to', async () => {
  const log = new StubLog(2_000n);
  const { comparedUntil } = await compare(log, at(9_000n), () => log.asked.length === 2);
  expect(comparedUntil).toEqual(at(3_999n));
  expect(log.asked).toHaveLength(2);
});

it('compares nothing when the time was up before the first block was found', async () => {
  const log = new StubLog(2_000n);
  log.firstBlockSince = async () => null;
  expect(await compare(log, at(9_000n))).toMatchObject({ matched: 0, comparedUntil: noon });
  expect(log.asked).toEqual([]);
});
