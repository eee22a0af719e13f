import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { maxItemsIn, plainSchema } from './plain-schema';
import { at, atomic, listAt, statementsOf, termsAt, type Reader, type Statement } from './statements';

/** The live 402 of one endpoint, body and header. */
export const challengeStatements =
  (method: 'GET' | 'POST', { path }: PaidEndpoint): Reader =>
  async (site) => {
    const { body, header } = await site.offer(method, path);
    const where = `${method} ${path}, 402`;
    return [...bodyStatements(`${where} body`, path, body), ...headerStatements(`${where} header`, path, header)];
  };

function bodyStatements(where: string, path: string, body: unknown): Statement[] {
  const schema = at(body, 'extensions', 'bazaar', 'schema');
  const input = plainSchema(at(schema, 'properties', 'input', 'properties', 'body'), schema);
  return [
    { where, about: '', fact: 'digest', value: at(body, 'offer_digest') },
    ...statementsOf(where, path, {
      ...termsAt(body),
      method: at(schema, 'properties', 'input', 'properties', 'method', 'enum', 0),
      input_schema: input,
      output_schema: plainSchema(at(schema, 'properties', 'output', 'properties', 'example'), schema),
      max_items: maxItemsIn(input),
    }),
    ...statementsOf(`${where}, price`, path, { price_atomic: atomic(at(body, 'price', 'usd_exact')) }),
    ...statementsOf(`${where}, accepts`, path, {
      ...termsAt(at(body, 'accepts', 0)),
      url: at(body, 'accepts', 0, 'resource'),
    }),
    ...statementsOf(`${where}, accepts (version 1 name)`, path, {
      price_atomic: at(body, 'accepts', 0, 'maxAmountRequired'),
    }),
  ];
}

function headerStatements(where: string, path: string, header: unknown): Statement[] {
  const input = at(header, 'extensions', 'bazaar', 'schema', 'properties', 'input', 'properties');
  return [
    ...statementsOf(where, path, {
      ...termsAt(header),
      url: at(header, 'resource', 'url'),
      method: at(input, 'method', 'enum', 0),
      max_items: maxItemsIn(at(input, 'body')),
    }),
    ...statementsOf(`${where}, accepts`, path, termsAt(at(header, 'accepts', 0))),
  ];
}

const TOOLS = '/mcp';
const WHERE = `${TOOLS}, tools/list`;

/** The declarations of the paid tools. */
export const toolStatements: Reader = async (site) => {
  const listed = listAt(await site.rpc(TOOLS, 'tools/list'), 'tools');
  return PAID_ENDPOINTS.flatMap(({ path, toolName }) => {
    const tool = listed.find((one) => at(one, 'name') === toolName);
    const digest: Statement = {
      where: WHERE,
      about: '',
      fact: 'digest',
      value: at(tool, '_meta', 'evenkeel/offer-digest'),
    };
    return [
      digest,
      ...statementsOf(WHERE, path, {
        ...termsAt(at(tool, '_meta', 'x402')),
        max_items: maxItemsIn(at(tool, 'inputSchema')),
      }),
      ...statementsOf(`${WHERE} (priceUSD)`, path, { price_atomic: atomic(at(tool, '_meta', 'agents-x402/priceUSD')) }),
    ];
  });
};
