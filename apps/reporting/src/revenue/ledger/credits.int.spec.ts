import fc from 'fast-check';
import { HISTORIES } from '../../projection/history.fixture';
import { exact } from '../counted.fixture';
import type { CustomersView } from './read-customers';
import { Reporting } from '../reporting.fixture';
import { aCredit, publishedOf } from '../story.fixture';
import type { CreditFlowView, CreditsView } from './read-credits';

let reporting: Reporting;
beforeAll(async () => {
  reporting = await Reporting.start();
});
afterAll(() => reporting.close());
beforeEach(() => reporting.forget());

const micros = ({ face_value }: CreditFlowView) => BigInt(face_value.usd_exact.replace('.', ''));
const day = (text: string) => new Date(`${text}T10:00:00.000Z`);

describe('GET credits', () => {
  it('rolls the liability forward, day by day', async () => {
    const credits = [
      aCredit({ issuedAt: day('2026-02-01'), redeemedAt: day('2026-02-09') }),
      aCredit({ issuedAt: day('2026-02-01') }),
      aCredit({ issuedAt: day('2026-02-09') }),
      aCredit({
        issuedAt: day('2026-02-10'),
        redeemedAt: day('2026-02-10'),
        priceMicros: 30_000,
        changeMicros: 70_000,
      }),
    ];
    await reporting.publish(...publishedOf([], credits));
    const flow = (count: number, usd_exact: string) => ({
      credits: count,
      face_value: { usd: Number(usd_exact), usd_exact },
    });
    const { text } = await reporting.read('credits?days=2');
    expect(JSON.parse(text)).toMatchObject({
      currency: 'USD',
      days: 2,
      from: '2026-02-09',
      to: '2026-02-10',
      opening: flow(2, '0.200000'),
      issued: flow(2, '0.200000'),
      redeemed: flow(2, '0.200000'),
      expired: flow(0, '0.000000'),
      closing: flow(2, '0.200000'),
      rebate_redeemed: { usd_exact: '0.080000' },
      returned_change: { usd_exact: '0.120000' },
      points: [
        {
          date: '2026-02-09',
          issued: flow(1, '0.100000'),
          redeemed: flow(1, '0.100000'),
          closing: flow(2, '0.200000'),
        },
        {
          date: '2026-02-10',
          issued: flow(1, '0.100000'),
          redeemed: flow(1, '0.100000'),
          closing: flow(2, '0.200000'),
        },
      ],
    });
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      ...['currency', 'days', 'from', 'to', 'opening', 'issued', 'redeemed', 'expired', 'closing'],
      ...['rebate_redeemed', 'returned_change', 'points', 'as_of', 'lag_seconds'],
    ]);
  });

  it('loses what expires, on its day and not before its time', async () => {
    const credits = [
      aCredit({ expiresAt: new Date('2026-02-08T00:00:00.000Z') }),
      aCredit({ expiresAt: new Date('2026-02-10T12:00:00.000Z') }),
      aCredit({ expiresAt: new Date('2026-02-10T12:00:00.001Z') }),
      aCredit({ expiresAt: new Date('2026-02-10T10:00:00.000Z'), redeemedAt: day('2026-02-09') }),
    ];
    await reporting.publish(...publishedOf([], credits));
    const figures = async (query: string) => {
      const { opening, redeemed, expired, closing, points } = await reporting.answer<CreditsView>(`credits?${query}`);
      const days = points.map((point) => [point.date, point.expired.credits, point.closing.credits]);
      return [...[opening, redeemed, expired, closing].map((flow) => flow.credits), days];
    };
    expect(await figures('days=2')).toEqual([
      ...[3, 1, 1, 1],
      [
        ['2026-02-09', 0, 2],
        ['2026-02-10', 1, 1],
      ],
    ]);
    expect(await figures('from=2026-02-08&to=2026-02-08')).toEqual([4, 0, 1, 3, [['2026-02-08', 1, 3]]]);
    reporting.clock.advanceMs(1);
    expect(await figures('days=1')).toEqual([2, 0, 2, 0, [['2026-02-10', 2, 0]]]);
    reporting.clock.advanceMs(-1);
  });

  it('closes a month with what the next one opens with', async () => {
    const credits = [
      aCredit({ issuedAt: day('2025-12-31'), expiresAt: day('2026-01-31') }),
      aCredit({ issuedAt: day('2026-01-01'), redeemedAt: day('2026-02-01') }),
      aCredit({ issuedAt: day('2026-01-31'), redeemedAt: day('2026-01-31') }),
    ];
    await reporting.publish(...publishedOf([], credits));
    const flows = async (month: string) => {
      const { opening, issued, redeemed, expired, closing } = await reporting.answer<CreditsView>(
        `credits?month=${month}`,
      );
      return [opening, issued, redeemed, expired, closing].map(({ credits: count, face_value }) => [
        ...[count, face_value.usd_exact],
      ]);
    };
    const [none, one, two] = [
      [0, '0.000000'],
      [1, '0.100000'],
      [2, '0.200000'],
    ];
    expect(await flows('2025-12')).toEqual([none, one, none, none, one]);
    expect(await flows('2026-01')).toEqual([one, two, one, one, one]);
    expect(await flows('2026-02')).toEqual([one, none, one, none, none]);
  });

  it('adds up for any history, and ends with the figures of the customers', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORIES, fc.integer({ min: 1, max: 75 }), async ({ credits }, days) => {
        await reporting.forget();
        await reporting.publish(...publishedOf([], credits));
        const answer = await reporting.answer<CreditsView>(`credits?days=${days}`);
        let closing = [answer.opening.credits, micros(answer.opening)] as const;
        for (const point of answer.points) {
          closing = [
            closing[0] + point.issued.credits - point.redeemed.credits - point.expired.credits,
            closing[1] + micros(point.issued) - micros(point.redeemed) - micros(point.expired),
          ];
          expect([point.closing.credits, point.closing.face_value.usd_exact]).toEqual([closing[0], exact(closing[1])]);
        }
        expect(answer.points).toHaveLength(days);
        expect(answer.closing).toEqual(answer.points.at(-1)!.closing);
        const { rebates } = await reporting.answer<CustomersView>('customers');
        const owed = micros({ credits: 0, face_value: rebates.outstanding_face_value });
        expect([answer.closing.credits, micros(answer.closing)]).toEqual([
          rebates.credits_outstanding - rebates.credits_expired,
          owed - micros({ credits: 0, face_value: rebates.expired_face_value }),
        ]);
        expect(rebates.liability).toEqual(answer.closing.face_value);
      }),
      { numRuns: 10 },
    );
  });
});
