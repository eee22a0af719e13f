import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { callerOf, clientAddress, networkOf, pathOf } from './request';

describe('pathOf', () => {
  it.each([
    ['/v1/habits', '/v1/habits'],
    ['/v1/habits?x=/agent/v1', '/v1/habits'],
    ['/?', '/'],
    ['/%761/habits', '/v1/habits'],
    ['/a%2Fb', '/a%2Fb'],
    ['/%zz', '/%zz'],
    ['http://a.example/v1/habits?x', '/v1/habits'],
    ['http://a.example', '/'],
    ['*', '*'],
    ['', ''],
  ])('of %p is %p', (target, path) => expect(pathOf(target)).toBe(path));
});

const aRequest = (forwarded: string | undefined, remoteAddress = '192.0.2.1') =>
  ({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage;

describe('clientAddress', () => {
  it.each([
    [undefined, 1, '192.0.2.1'],
    ['203.0.113.7', 0, '192.0.2.1'],
    ['203.0.113.7', 1, '203.0.113.7'],
    ['::ffff:203.0.113.7', 1, '203.0.113.7'],
    ['2001:db8::1', 1, '2001:db8::1'],
    ['198.51.100.9, 203.0.113.7', 1, '203.0.113.7'],
    ['198.51.100.9, 203.0.113.7', 2, '198.51.100.9'],
    ['198.51.100.9, 203.0.113.7', 3, '198.51.100.9'],
    ['198.51.100.9, unknown', 1, '192.0.2.1'],
    ['', 1, '192.0.2.1'],
    ['198.51.100.7:52311', 1, '198.51.100.7'],
    ['[198.51.100.7]:52311', 1, '198.51.100.7'],
    ['[2001:db8::1]', 1, '2001:db8::1'],
    ['[2001:DB8:0:0:0:0:0:1]:443', 1, '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', 1, '2001:db8::1'],
    ['::FFFF:198.51.100.7', 1, '198.51.100.7'],
    ['::ffff:c633:6407', 1, '198.51.100.7'],
    ['0:0:0:0:0:ffff:c633:6407', 1, '198.51.100.7'],
    ['fe80::1%eth0', 1, 'fe80::1'],
    ['::ffff:0:0:0:ab', 1, '::ffff:0:0:0:ab'],
    ['198.51.100.7:52311, 203.0.113.7:80', 2, '198.51.100.7'],
    ['[2001:db8::1', 1, '192.0.2.1'],
    ['[]:443', 1, '192.0.2.1'],
    ['198.51.100.7:port', 1, '192.0.2.1'],
    ['localhost:80', 1, '192.0.2.1'],
  ])('of %p behind %d proxies is %p', (forwarded, hops, address) =>
    expect(clientAddress(aRequest(forwarded), hops)).toBe(address),
  );

  it('speaks IPv4 where the socket speaks IPv6', () =>
    expect(clientAddress(aRequest(undefined, '::ffff:192.0.2.9'), 0)).toBe('192.0.2.9'));
});

describe('every spelling of an address', () => {
  const groups = fc.array(fc.constantFrom(0, 0, 1, 0xab, 0xdb8, 0xffff), { minLength: 8, maxLength: 8 });
  const octets = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
  const written = (address: string, wrapping: number, port: number) =>
    [address, `[${address}]`, `[${address}]:${port}`, ` ${address} `][wrapping]!;
  const hex = (group: number, width: number, isUpper: boolean) => {
    const digits = group.toString(16).padStart(width, '0');
    return isUpper ? digits.toUpperCase() : digits;
  };
  /** With one run of zeros left out, where there is one; which of them the numbers choose. */
  const shortened = (parts: string[], from: number, length: number) =>
    parts.slice(from, from + length).every((part) => Number(`0x${part}`) === 0)
      ? `${parts.slice(0, from).join(':')}::${parts.slice(from + length).join(':')}`
      : parts.join(':');
  const style = fc.record({
    width: fc.constantFrom(1, 4),
    isUpper: fc.boolean(),
    from: fc.nat(6),
    length: fc.integer({ min: 1, max: 8 }),
    wrapping: fc.nat(3),
    port: fc.nat(65_535),
  });
  const spelled = (
    parts: number[],
    { width, isUpper, from, length, wrapping, port }: typeof style extends fc.Arbitrary<infer Style> ? Style : never,
  ) =>
    written(
      shortened(
        parts.map((part) => hex(part, width, isUpper)),
        from,
        Math.min(length, 8 - from),
      ),
      wrapping,
      port,
    );
  const seen = (spelling: string) => {
    const address = clientAddress(aRequest(spelling), 1);
    return [address, callerOf(address), networkOf(address)];
  };

  it('of IPv6 is one address, one caller and one network', () => {
    fc.assert(
      fc.property(groups, style, style, (parts, one, other) => {
        const [address] = seen(spelled(parts, one));
        expect(isIP(address!)).not.toBe(0);
        expect(seen(spelled(parts, one))).toEqual(seen(spelled(parts, other)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('of IPv4 is that address, also inside IPv6', () => {
    fc.assert(
      fc.property(octets, style, fc.nat(2), ([a, b, c, d], { port, ...by }, form) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const mapped = [0, 0, 0, 0, 0, 0xffff, (a! << 8) | b!, (c! << 8) | d!];
        const prefix = by.isUpper ? '::FFFF:' : '0:0:0:0:0:ffff:';
        const forms = [
          `${plain}:${port}`,
          spelled(mapped, { port, ...by }),
          written(prefix + plain, by.wrapping, port),
        ];
        expect(seen(forms[form]!)).toEqual(seen(plain));
        expect(seen(plain)[0]).toBe(plain);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('networkOf', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['::1', '0:0:0::/48'],
    ['nonsense', 'unknown'],
    ['', 'unknown'],
  ])('of %p is %p', (address, network) => expect(networkOf(address)).toBe(network));
});

describe('callerOf', () => {
  it.each([
    ['203.0.113.77', '203.0.113.77'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['', ''],
  ])('of %p is %p', (address, caller) => expect(callerOf(address)).toBe(caller));
});
