import type { IncomingMessage } from 'node:http';
import { callerOf, clientAddress, networkOf, pathOf } from './request';

it.each([
  ['/v1/habits?x=/agent/v1', '/v1/habits'],
  ['/?', '/'],
  ['/%761/habits', '/v1/habits'],
  ['/a%2Fb', '/a%2Fb'],
  ['/%zz', '/%zz'],
  ['http://a.example/v1/habits?x', '/v1/habits'],
  ['http://a.example', '/'],
  ['*', '*'],
])('the path of %p is %p', (target, path) => expect(pathOf(target)).toBe(path));

it.each([
  [undefined, 1, '192.0.2.1'],
  ['203.0.113.7', 0, '192.0.2.1'],
  ['203.0.113.7', 1, '203.0.113.7'],
  ['198.51.100.9, 203.0.113.7', 1, '203.0.113.7'],
  ['198.51.100.9, 203.0.113.7', 2, '198.51.100.9'],
  ['198.51.100.9, 203.0.113.7', 3, '198.51.100.9'],
  ['198.51.100.9, unknown', 1, '192.0.2.1'],
  ['198.51.100.7:52311', 1, '198.51.100.7'],
  ['[198.51.100.7]:52311', 1, '198.51.100.7'],
  ['[2001:DB8:0:0:0:0:0:1]:443', 1, '2001:db8::1'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', 1, '2001:db8::1'],
  ['::FFFF:198.51.100.7', 1, '198.51.100.7'],
  ['::ffff:c633:6407', 1, '198.51.100.7'],
  ['0:0:0:0:0:ffff:c633:6407', 1, '198.51.100.7'],
  ['fe80::1%eth0', 1, 'fe80::1'],
  ['::ffff:0:0:0:ab', 1, '::ffff:0:0:0:ab'],
  ['[2001:db8::1', 1, '192.0.2.1'],
  ['[]:443', 1, '192.0.2.1'],
  ['198.51.100.7:port', 1, '192.0.2.1'],
])('the address in %p behind %d proxies is %p', (forwarded, hops, address) => {
  const headers = { 'x-forwarded-for': forwarded };
  const request = { headers, socket: { remoteAddress: '::ffff:192.0.2.1' } } as unknown as IncomingMessage;
  expect(clientAddress(request, hops)).toBe(address);
});

it.each([
  ['203.0.113.77', '203.0.113.0/24', '203.0.113.77'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0::/48', '2001:db8:0:0::/64'],
  ['::1', '0:0:0::/48', '0:0:0:0::/64'],
  ['nonsense', 'unknown', 'nonsense'],
])('of %p the log has the network %p, and a limit knows the caller %p', (address, network, caller) =>
  expect([networkOf(address), callerOf(address)]).toEqual([network, caller]),
);
