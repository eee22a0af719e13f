import type { Row } from './compare/compare';
import { ALONE, COUNTED, OURS, REFERENCES, TRACED, UNCOUNTED, WHOLE, WITHOUT_LEDGER } from './compare/stage';
import { DESIGN_JSON_NS, checkBodies, checkComparison, checkEngine } from './goals';

const aRow = (over: Partial<Row>): Row => ({
  variant: OURS,
  rate: 1_000,
  p50Ms: 10,
  p99Ms: 20,
  sellerCpuMs: 0.5,
  postgresCpuMs: 0.3,
  fsyncs: 0.4,
  rateRatio: 2,
  cpuRatio: 3,
  totalCpuRatio: 0.6,
  ...over,
});
const WITHOUT = aRow({ variant: WITHOUT_LEDGER, sellerCpuMs: 0.4, postgresCpuMs: null });
const paid = (over: Partial<Row>) =>
  checkComparison({ path: 'paid', habits: 1, rows: [aRow(over), aRow({ variant: REFERENCES.paid }), WITHOUT] });
const verdicts = (over: Partial<Row>) => paid(over).map(({ verdict }) => verdict);

describe('the verdict', () => {
  it('tells the target from the floor, and the floor from less', () => {
    expect(verdicts({})).toEqual(Array(5).fill('target met'));
    expect(verdicts({ rateRatio: 1.99, cpuRatio: 2.8 }).slice(0, 3)).toEqual(['floor met', 'floor met', 'target met']);
    expect(verdicts({ rateRatio: 1.79, cpuRatio: 2.79 }).slice(0, 2)).toEqual(['missed', 'missed']);
  });

  it('knows where less is better', () => {
    expect(verdicts({ totalCpuRatio: 0.61, postgresCpuMs: 1.1, fsyncs: 0.6 }).slice(2)).toEqual(
      Array(3).fill('missed'),
    );
    const [time, ratio] = checkEngine([{ name: 'one habit', nsPerOp: 151, goalNs: 150, jsonRatio: 0.0045 }]);
    expect(time).toMatchObject({ verdict: 'missed', measured: 151, target: 150 });
    expect(ratio).toMatchObject({ verdict: 'missed', measured: 0.0045, target: 150 / DESIGN_JSON_NS });
  });

  it('is of the worst body', () => {
    const timing = { bytes: 100_000, jsonMs: 1, jsonRatio: 2 };
    const all = ['one', 'other'].map((name, index) => ({ ...timing, name, ms: 4.5 + index }));
    expect(checkBodies(all)).toMatchObject([{ verdict: 'missed', measured: 4.5, target: 4 }]);
  });

  it('leaves out what could not be measured, or has no goal', () => {
    expect(checkEngine([{ name: 'JSON alone', nsPerOp: 50_000, goalNs: null, jsonRatio: 1 }])).toEqual([]);
    expect(paid({ totalCpuRatio: null, postgresCpuMs: null })).toHaveLength(3);
  });

  it('counts what the ledger costs in PostgreSQL and in the seller', () => {
    const added = paid({ sellerCpuMs: 0.5, postgresCpuMs: 0.3 }).find(({ goal }) => goal.includes('ledger adds'))!;
    expect(added.measured).toBeCloseTo(0.3 + (0.5 - 0.4));
  });

  it('tells what the product does behind an answer, and how fast it is with all that', () => {
    const whole = (over: Partial<Row>) => {
      const rows = [aRow({ variant: ALONE }), aRow({ variant: WHOLE, ...over })];
      return checkComparison({ path: 'whole', habits: 1, rows });
    };
    const [rate, behind] = whole({ rateRatio: 1.7, sellerCpuMs: 0.6, postgresCpuMs: 0.4 });
    expect(rate).toMatchObject({ measured: 1.7, verdict: 'target met', floor: 1.6 });
    expect(behind).toMatchObject({ verdict: 'target met', floor: 0.3 });
    expect(behind!.measured).toBeCloseTo(0.2);
    const missed = whole({ rateRatio: 1.5, sellerCpuMs: 0.8, postgresCpuMs: 0.4 });
    expect(missed.map(({ verdict }) => verdict)).toEqual(['missed', 'missed']);
    expect(whole({ postgresCpuMs: null })).toHaveLength(1);
  });

  it('tells what counting and traces add to the CPU of a call', () => {
    const rows = [
      aRow({ cpuRatio: 0.8 }),
      aRow({ variant: TRACED, cpuRatio: 0.75 }),
      aRow({ variant: COUNTED, cpuRatio: 0.99 }),
      aRow({ variant: UNCOUNTED, cpuRatio: 1 }),
    ];
    const [counting, traces] = checkComparison({ path: 'observability', habits: 1, rows });
    expect(counting).toMatchObject({ verdict: 'target met', floor: 0.02 });
    expect(counting!.measured).toBeCloseTo(1 / 0.99 - 1);
    expect(traces).toMatchObject({ verdict: 'missed', floor: 0.05 });
    expect(traces!.measured).toBeCloseTo(0.8 / 0.75 - 1);
  });
});
