import { IsOptional } from 'class-validator';
import { IsCrashPoint, loadConfig, ProcessCrash } from '.';

class ShopConfig {
  @IsOptional() NODE_ENV?: string;
  @IsCrashPoint('shop', ['paid', 'sent']) CRASH_AT?: 'paid' | 'sent';
}
const load = (CRASH_AT?: string, NODE_ENV?: string) => loadConfig(ShopConfig, { CRASH_AT, NODE_ENV }).CRASH_AT;

describe('CRASH_AT', () => {
  it('is a step of the app that it names', () => {
    expect(load('shop:paid')).toBe('paid');
    expect(load('shop:sent')).toBe('sent');
    expect(load()).toBeUndefined();
  });

  it('is ignored by every other app', () => expect(load('billing:paid')).toBeUndefined());

  it.each(['shop:lost', 'shop:', 'paid', 'billing', 'shop:paid:sent', ' shop:paid'])('is refused: %p', (text) => {
    expect(() => load(text)).toThrow('CRASH_AT must be one of shop:paid, shop:sent');
  });

  it('is refused in production', () => {
    expect(() => load('shop:paid', 'production')).toThrow('CRASH_AT must not be set when NODE_ENV=production');
  });
});

it('the process kills itself at that step and no other', () => {
  const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
  new ProcessCrash<string>(undefined).pass('paid');
  const crash = new ProcessCrash<string>('paid');
  crash.pass('sent');
  expect(kill).not.toHaveBeenCalled();
  crash.pass('paid');
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
  kill.mockRestore();
});
