import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION } from '../index';
import { FUNCTIONS, printed, vectorFile, type VectorFile } from './vector-files.fixture';

const FOLDER = join(__dirname, '../../vectors');
const textOf = (name: string) => readFileSync(join(FOLDER, `${name}.json`), 'utf8');
const read = (name: string) => JSON.parse(textOf(name)) as VectorFile;

describe('golden vectors', () => {
  it('exist for every function, and for nothing else', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
    expect(files.sort()).toEqual(
      Object.keys(FUNCTIONS)
        .map((name) => `${name}.json`)
        .sort(),
    );
  });

  describe.each(Object.keys(FUNCTIONS))('%s', (name) => {
    it('belongs to the running version', () => {
      expect(read(name)).toMatchObject({ engine_version: ENGINE_VERSION, function: name });
    });

    it.each(read(name).vectors.map((vector) => [vector.name, vector] as const))('%s', (_, { input, output }) => {
      expect(JSON.stringify(FUNCTIONS[name]!(input as never))).toBe(JSON.stringify(output));
    });

    it('is what the generator writes', () => {
      expect(textOf(name)).toBe(printed(vectorFile(name)));
    });
  });
});
