import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCompose } from '../compose/compose';
import { inOrder, withNeighbours } from './check-images';

const FILE = readFileSync(join(__dirname, '../../../../../docker/compose.yaml'), 'utf8');
const orderOf = (text: string): string[] => inOrder([...readCompose(text).services.values()]).map(({ name }) => name);

it('starts each service after those that it waits for', () => {
  const order = orderOf(FILE);
  const places = ['secrets', 'kafka', 'topics', 'agent-gateway', 'edge'].map((name) => order.indexOf(name));
  expect(places).toEqual([...places].sort((a, b) => a - b));
});

it('refuses services that wait for one another', () => {
  const circle = FILE.replace(
    '  kafka:\n    image',
    '  kafka:\n    depends_on: { topics: { condition: service_completed_successfully } }\n    image',
  );
  expect(() => orderOf(circle)).toThrow('wait for one another');
});

it.each([
  [['tools/stripe'], ['tools/stripe']],
  [['apps/reporting'], ['tools/ops', 'apps/reporting']],
  [['apps/billing'], ['tools/stripe', 'tools/ops', 'apps/accounts', 'apps/billing']],
])('%p take along what they call: %p', (chosen, expected) => {
  expect(withNeighbours(chosen, [...readCompose(FILE).services.values()])).toEqual(expected);
});
