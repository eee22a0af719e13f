import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { ReportingConfig } from '../../reporting.config';
import { costModel } from './read-summary';

const configWith = (settings: Record<string, string>) =>
  loadConfig(ReportingConfig, { DATABASE_URL: 'postgres://localhost/reporting', ...settings });
const paths = PAID_ENDPOINTS.map(({ path }) => path);

describe('costModel', () => {
  it('has the defaults of the specification, in its order', () =>
    expect(JSON.stringify(costModel(configWith({})))).toBe(
      '{"version":"1","per_call_usd_exact":"0.000400","per_settlement_usd_exact":"0.000000"}',
    ));

  it('is the one amount of the settings', () =>
    expect(costModel(configWith({ COST_MICROS: '1500', COST_SETTLEMENT_MICROS: '25' }))).toEqual({
      version: '1',
      per_call_usd_exact: '0.001500',
      per_settlement_usd_exact: '0.000025',
    }));

  it('names each endpoint where they differ', () => {
    const { per_call_usd_exact, per_endpoint } = costModel(configWith({ COST_MICROS: `${paths[1]}=900` }));
    expect(per_call_usd_exact).toBeNull();
    expect(per_endpoint).toEqual(
      paths.map((endpoint, place) => ({ endpoint, per_call_usd_exact: place === 1 ? '0.000900' : '0.000000' })),
    );
  });

  it('is one amount when a list has the same for all', () => {
    const COST_MICROS = paths.map((path) => `${path}=700`).join(',');
    expect(costModel(configWith({ COST_MICROS }))).toMatchObject({ per_call_usd_exact: '0.000700' });
  });

  it.each(['-1', '0.5', 'many', '/agent/v1/habits/plan', '/agent/v1/habits/plan=x'])('refuses COST_MICROS %s', (text) =>
    expect(() => configWith({ COST_MICROS: text })).toThrow('COST_MICROS must be micro-USD, or a list path=micros'),
  );
});
