import type { FastifyRequest } from 'fastify';
import { clientAddress, networkOf } from './client-address';

const aRequest = (ip: string, remoteAddress = '192.0.2.1') =>
  ({ ip, raw: { socket: { remoteAddress } } }) as unknown as FastifyRequest;

describe('clientAddress', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['unknown', '192.0.2.1'],
    ['', '192.0.2.1'],
  ])('%p is %p', (claimed, address) => expect(clientAddress(aRequest(claimed))).toBe(address));
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
