import { CHAINS } from '@evenkeel/contracts';
import { transactionPage } from './values';

it.each([...CHAINS.map(({ caip2 }) => [caip2, true] as const), ['eip155:1', false] as const])(
  'has an explorer of %s: %p',
  (network, isKnown) => expect(/^https:\/\/\S+\/tx\/0x12$/.test(transactionPage(network, '0x12') ?? '')).toBe(isKnown),
);
