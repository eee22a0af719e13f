import { CHAINS } from '@evenkeel/contracts';
import { shortHex, transactionPage } from './values';

it('shortens an address to its first and last characters', () =>
  expect(shortHex('0x857b06519E91e3A54538791bDbb0E22373e36b66')).toBe('0x857b…6b66'));

it.each(CHAINS.map(({ caip2 }) => caip2))('has an explorer of %s', (network) =>
  expect(transactionPage(network, '0x12')).toMatch(/^https:\/\/\S+\/tx\/0x12$/),
);

it('has none of an unknown chain', () => expect(transactionPage('eip155:1', '0x12')).toBeUndefined());
