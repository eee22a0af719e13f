import type { Configuration } from './configurations';
import { modelCommand, type ModelOptions } from './model-options';

const one = (name: string, size: Configuration['size']): Configuration => ({
  ...{ name, size, model: 'bound', expected: 'holds', switches: {} },
});
const all = [one('small', 'quick'), one('middle', 'usual'), one('great', 'large')];
const read = (args: string[]) => modelCommand(all).parse(args) as ModelOptions;
const namesFor = (...args: string[]) => read(args).configurations.map(({ name }) => name);

describe('the options', () => {
  it('takes all but the large searches by default', () => {
    expect(namesFor()).toEqual(['small', 'middle']);
    expect(read([])).toMatchObject({ trace: false, jobs: 2, installs: true });
  });

  it('takes fewer, more, or those named', () => {
    expect(namesFor('--quick')).toEqual(['small']);
    expect(namesFor('--large')).toEqual(['small', 'middle', 'great']);
    expect(namesFor('--only', 'great', '--only', 'small')).toEqual(['great', 'small']);
  });

  it.each([
    [['--only', 'tiny'], '--only tiny: there are small, middle, great.'],
    [['--jobs', '0'], '--jobs must be a whole number from 1 to 16.'],
    [['--loud'], "Unknown option '--loud'"],
  ])('refuses %j in a sentence', (args, sentence) => expect(() => read(args)).toThrow(sentence));
});
