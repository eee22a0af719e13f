import { AgentAnalysisInput } from '@evenkeel/contracts';
import { bodySchema } from './body-schema';
import { knownPart } from './known-part';

const schema = bodySchema(AgentAnalysisInput);
const partOf = (body: Record<string, unknown>) => knownPart(body, schema, schema);

describe('knownPart', () => {
  it('leaves out what the schema does not name, at any depth', () => {
    const body = JSON.parse(
      '{"habits":[{"name":"Run","metadata":{"constructor":1,"a":{}},"constructor":{},"x":1}],"__proto__":1,"y":2}',
    ) as Record<string, unknown>;
    expect(partOf(body)).toEqual({ habits: [{ name: 'Run', metadata: {} }] });
  });

  it('keeps what is of the wrong type, without its contents', () => {
    expect(partOf({ habits: { name: 'Run' }, persona: { a: 1 }, locale: null })).toEqual({
      habits: {},
      persona: {},
      locale: null,
    });
    expect(partOf({ habits: [null, [{ name: 'Run' }], 'x'] })).toEqual({ habits: [null, [{}], 'x'] });
  });

  it('stops one item after the limit', () => {
    expect(partOf({ habits: Array(5_000).fill({}) }).habits).toHaveLength(26);
  });
});
