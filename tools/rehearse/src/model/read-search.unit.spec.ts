import { readSearch } from './configurations';

const end = (errors: number, more = '') => `
(Spin Version 6.5.2 -- 6 December 2019)${more}
State-vector 152 byte, depth reached 2113, errors: ${errors}
   756086 states, stored
  1374920 states, matched
pan: elapsed time 4.23 seconds
`;

describe('what a search found', () => {
  it('holds when every state was seen without an error', () => {
    expect(readSearch(end(0))).toEqual({ found: 'holds', states: '756086', seconds: '4.23' });
  });

  it('fails with the first counterexample', () => {
    expect(readSearch(end(1, '\nWarning: Search not completed'))).toMatchObject({ found: 'fails' });
  });

  it.each([
    ['the memory ran out', end(0, '\nWarning: Search not completed')],
    ['it was too deep', 'error: max search depth too small\n' + end(0)],
    ['it was broken off', ''],
  ])('proves nothing when %s', (_, output) => expect(readSearch(output).found).toBe('unfinished'));

  it('reads large numbers as they are written', () => {
    expect(readSearch(end(0).replace('   756086', '1.4164e+07')).states).toBe('1.4164e+07');
  });
});
