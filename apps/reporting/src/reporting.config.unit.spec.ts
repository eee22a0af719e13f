import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { InvalidConfig, loadConfig, type Environment } from '@evenkeel/platform/config';
import { ReportingConfig } from './reporting.config';
import { costModel } from './revenue/figures/read-summary';

const load = (settings: Environment) =>
  loadConfig(ReportingConfig, { DATABASE_URL: 'postgres://localhost/reporting', ...settings });

it('needs a database and nothing else', () => {
  expect([load({}).PORT, load({}).ADMIN_TOKEN]).toEqual([3003, undefined]);
  expect(load({ ADMIN_TOKEN: 'x'.repeat(24) }).ADMIN_TOKEN).toHaveLength(24);
  expect(() => load({ DATABASE_URL: undefined })).toThrow(InvalidConfig);
});

it.each([
  ['ADMIN_TOKEN', 'x'.repeat(23)],
  ['RATE_ADMIN', '120'],
  ['COST_MICROS', '0.4'],
  ['COST_MICROS', '/agent/v1/habits/plan=x'],
  ['CRASH_AT', 'reporting:settled'],
])('refuses %s=%s, and names it without the value', (name, value) => {
  expect(() => load({ [name]: value })).toThrow(new RegExp(`- ${name}`));
  expect(() => load({ [name]: value })).not.toThrow(new RegExp(`${value}`));
});

const paths = PAID_ENDPOINTS.map(({ path }) => path);

it.each([
  [{}, '0.000400', '0.000000'],
  [{ COST_MICROS: '1500', COST_SETTLEMENT_MICROS: '25' }, '0.001500', '0.000025'],
  [{ COST_MICROS: paths.map((path) => `${path}=700`).join(',') }, '0.000700', '0.000000'],
])('with %j a call costs %s, and a settlement %s', (settings, perCall, perSettlement) =>
  expect(costModel(load(settings))).toEqual({
    version: '1',
    per_call_usd_exact: perCall,
    per_settlement_usd_exact: perSettlement,
  }),
);

it('names each endpoint where they differ', () => {
  const { per_call_usd_exact, per_endpoint } = costModel(load({ COST_MICROS: `${paths[1]}=900` }));
  expect(per_call_usd_exact).toBeNull();
  expect(per_endpoint).toEqual(
    paths.map((endpoint, place) => ({ endpoint, per_call_usd_exact: place === 1 ? '0.000900' : '0.000000' })),
  );
});
