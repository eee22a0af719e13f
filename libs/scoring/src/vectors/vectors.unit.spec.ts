import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION } from '../index';
import { FUNCTIONS, printed, type VectorFile } from './vector-files.fixture';

const VECTORS = join(__dirname, '../../vectors');
const textOf = (name: string) => readFileSync(join(VECTORS, ENGINE_VERSION, `${name}.json`), 'utf8');
const read = (name: string) => JSON.parse(textOf(name)) as VectorFile;

describe('golden vectors', () => {
  describe.each(Object.keys(FUNCTIONS))('%s', (name) => {
    it.each(read(name).vectors.map((vector) => [vector.name, vector] as const))('%s', (_, { input, output }) => {
      expect(JSON.stringify(FUNCTIONS[name]!(input as never))).toBe(JSON.stringify(output));
    });

    it('belongs to the running version, and has the bytes that the generator writes', () => {
      expect(read(name)).toMatchObject({ engine_version: ENGINE_VERSION, function: name });
      expect(textOf(name)).toBe(printed(read(name)));
    });
  });
});

describe('docs/scoring.md', () => {
  const text = readFileSync(join(__dirname, '../../../../docs/scoring.md'), 'utf8');

  it('is about the running version', () => {
    expect(text).toContain(`version ${ENGINE_VERSION}:`);
    expect(text).toContain(`- **${ENGINE_VERSION}.**`);
  });

  it('names the test of each property', () => {
    const named = [...text.matchAll(/\[(S\d+)\]\(\.\.\/libs\/scoring\/src\/(\S+)\)/g)];
    expect(named).toHaveLength(17);
    for (const [, property, suite] of named)
      expect(readFileSync(join(__dirname, '..', suite!), 'utf8')).toContain(`describe('${property}', `);
  });
});
