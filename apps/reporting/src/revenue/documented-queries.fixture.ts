import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPEN_API_FOLDER, type OpenApiDocument } from '@evenkeel/contracts';

const { paths } = JSON.parse(readFileSync(join(OPEN_API_FOLDER, 'reporting.json'), 'utf8')) as OpenApiDocument;

/** A route of operators, with an id of no payment, and the members of its query. */
export const OPERATOR_ROUTES = Object.entries(paths)
  .filter(([path]) => path.startsWith('/v1/admin/revenue/'))
  .map(([path, { get }]) => {
    const members = (get!.parameters ?? []).filter(({ in: place }) => place === 'query');
    return {
      path: path.replace('{id}', '0194bc3e-5d58-7c1a-9e64-3f1b2a7d8c90'),
      members: members.map(({ name, schema }) => ({ name, schema })),
      /** Which an answer needs. */
      query: members.some(({ required }) => required) ? 'month=2026-01' : '',
    };
  });
