import { InvalidConfig, IsRate, loadConfig, scaled, type Rate } from '.';

class ShopConfig {
  @IsRate() RATE_ORDERS: Rate = { limit: 600, windowSeconds: 60 };
}
const rateIn = (text?: string) => loadConfig(ShopConfig, { RATE_ORDERS: text }).RATE_ORDERS;

describe('a rate in the environment', () => {
  it('is a count and seconds, or its default', () => {
    expect(rateIn('20/3600')).toEqual({ limit: 20, windowSeconds: 3_600 });
    expect(rateIn()).toEqual({ limit: 600, windowSeconds: 60 });
  });

  it.each(['600', '600/', '/60', '0/60', '600/0', '-1/60', '6e2/60', '600/60/1', ' 600/60', '1.5/60', '600/1000000'])(
    'is not "%s"',
    (text) => {
      expect(() => rateIn(text)).toThrow(InvalidConfig);
      expect(() => rateIn(text)).toThrow('RATE_ORDERS must be count/seconds, such as 600/60');
    },
  );
});

describe('a scaled rate', () => {
  it('keeps its window and allows at least one', () => {
    expect(scaled({ limit: 600, windowSeconds: 60 }, 2.5)).toEqual({ limit: 1_500, windowSeconds: 60 });
    expect(scaled({ limit: 3, windowSeconds: 60 }, 0.01)).toEqual({ limit: 1, windowSeconds: 60 });
  });
});
