import { CHAINS } from '@evenkeel/contracts';
import { loadConfig } from '@evenkeel/platform/config';
import { FacilitatorConfig } from './facilitator.config';

describe('FacilitatorConfig', () => {
  it('settles in the stablecoin of Base by default, without test addresses', () => {
    expect(loadConfig(FacilitatorConfig, {}).options).toEqual({
      host: '127.0.0.1',
      port: 8402,
      chain: CHAINS[0],
      asset: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2' },
      control: false,
      blockMs: 2_000,
    });
  });

  it('takes the token of the network, or one of its own', () => {
    expect(loadConfig(FacilitatorConfig, { X402_NETWORK: 'eip155:84532' }).options.asset?.name).toBe('USDC');
    const own = { X402_ASSET: `0x${'12'.repeat(20)}`, X402_ASSET_NAME: 'Play Dollar', X402_ASSET_VERSION: '1' };
    expect(loadConfig(FacilitatorConfig, own).options.asset).toEqual({
      address: own.X402_ASSET,
      name: 'Play Dollar',
      version: '1',
    });
  });

  it.each([
    [{ NODE_ENV: 'production' }, 'NODE_ENV'],
    [{ FACILITATOR_PORT: '8e3' }, 'FACILITATOR_PORT'],
    [{ FACILITATOR_CONTROL: 'false' }, 'FACILITATOR_CONTROL'],
    [{ X402_NETWORK: 'base' }, 'X402_NETWORK'],
    [{ X402_ASSET: '0x1' }, 'X402_ASSET'],
  ])('refuses %j', (env, name) => {
    expect(() => loadConfig(FacilitatorConfig, env)).toThrow(name);
  });
});
