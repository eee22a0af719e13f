import { PAID_ENDPOINTS, requestSchema, schemaOf } from '@evenkeel/contracts';
import { compileValidator, explain, parseJson, type ValidationIssue } from '@evenkeel/platform/validation';
import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';
import { changedBodies, goodBodies } from './bodies.fixture';

/** A stranger's validator with the published schema. */
const standard = new Ajv2020({ strict: true });
const RUNS = sized(200, 1_000);
const asSent = (body: unknown) => parseJson(Buffer.from(JSON.stringify(body)));

describe.each(PAID_ENDPOINTS.map((endpoint) => [endpoint.operation, endpoint] as const))(
  '%s',
  (operation, endpoint) => {
    const compiled = compileValidator(schemaOf(endpoint.requestForms, { closed: true }));
    const published = standard.compile(requestSchema(endpoint));

    it('takes good bodies', () => {
      fc.assert(
        fc.property(goodBodies[operation], (good) => {
          const body = asSent(good);
          expect(compiled(body)).toBe(true);
          expect(explain(endpoint.requestForms, body)).toEqual([]);
        }),
      );
    });

    it('gets one verdict from our compiled validator, with its issues and without, and from a standard one', () => {
      const verdicts = { good: 0, bad: 0 };
      fc.assert(
        fc.property(changedBodies(operation), (sent) => {
          const body = asSent(sent);
          const issues = explain(endpoint.requestForms, body);
          const verdict = compiled(body);
          verdicts[verdict ? 'good' : 'bad']++;
          expect({ explained: issues.length === 0, published: published(body) }).toEqual({
            explained: verdict,
            published: verdict,
          });
          for (const issue of issues) expectToLeadSomewhere(issue, body);
        }),
        { numRuns: RUNS },
      );
      expect(Math.min(verdicts.good, verdicts.bad)).toBeGreaterThan(RUNS / 10);
    });
  },
);

/** The path leads to what was sent, or to the place where something is missing. */
function expectToLeadSomewhere({ path, code }: ValidationIssue, body: unknown): void {
  const steps = path.split('/').slice(1);
  const keys = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing = code === 'required' ? keys.pop() : undefined;
  const found = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], body);
  expect(found).toBeDefined();
  if (missing !== undefined) expect(Object.hasOwn(found as object, missing)).toBe(false);
}

describe('a negative zero', () => {
  it('is a zero for both', () => {
    const [{ requestForms }] = PAID_ENDPOINTS as [(typeof PAID_ENDPOINTS)[0]];
    const body = parseJson(
      Buffer.from(
        '{"habits":[{"name":"a","completion_rate":-0,"current_streak":-0.0,"best_streak":0}],"horizon_days":7.0}',
      ),
    );
    expect(explain(requestForms, body)).toEqual([]);
    expect(compileValidator(schemaOf(requestForms, { closed: true }))(body)).toBe(true);
  });
});
