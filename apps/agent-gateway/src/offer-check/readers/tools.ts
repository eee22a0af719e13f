import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { at, atomic, listAt, termsAt } from '../at';
import { claimsOf, type Claim } from '../claim';
import { maxItemsIn } from '../plain-schema';
import type { Reader } from './reader';

const TOOLS = '/mcp';
const WHERE = `${TOOLS}, tools/list`;

/** The declarations of the paid tools. */
export const toolClaims: Reader = async (site) => {
  const listed = listAt(await site.rpc(TOOLS, 'tools/list'), 'tools');
  return PAID_ENDPOINTS.flatMap(({ path, toolName }) => {
    const tool = listed.find((one) => at(one, 'name') === toolName);
    const digest: Claim = {
      where: WHERE,
      about: '',
      fact: 'digest',
      value: at(tool, '_meta', 'evenkeel/offer-digest'),
    };
    return [
      digest,
      ...claimsOf(WHERE, path, {
        ...termsAt(at(tool, '_meta', 'x402')),
        max_items: maxItemsIn(at(tool, 'inputSchema')),
      }),
      ...claimsOf(`${WHERE} (priceUSD)`, path, { price_atomic: atomic(at(tool, '_meta', 'agents-x402/priceUSD')) }),
    ];
  });
};
