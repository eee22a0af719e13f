import { BadUsage } from '@evenkeel/platform/command-line';
import { REHEARSE } from './command';

it('has a usual size, and takes another', () => {
  expect(REHEARSE.parse([])).toEqual({ rate: 20, seconds: 15 });
  expect(REHEARSE.parse(['--rate', '50', '--seconds', '60'])).toEqual({ rate: 50, seconds: 60 });
});

it.each(['--rate 0', '--seconds none', 'now'])('refuses "%s"', (line) => {
  expect(() => REHEARSE.parse(line.split(' '))).toThrow(BadUsage);
});
