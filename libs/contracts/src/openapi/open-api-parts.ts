import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AppName } from '../routes';
import type { OpenApiDocument } from './open-api';

/** Beside `src` and `dist`, so that both find it. */
export const OPEN_API_FOLDER = join(__dirname, '../../openapi');

/** What each app says of its own routes. An app that is not built yet says nothing. */
export function openApiParts(): Map<AppName, OpenApiDocument> {
  const files = readdirSync(OPEN_API_FOLDER).filter((file) => file.endsWith('.json'));
  return new Map(
    files.map((file) => [
      file.replace('.json', '') as AppName,
      JSON.parse(readFileSync(join(OPEN_API_FOLDER, file), 'utf8')) as OpenApiDocument,
    ]),
  );
}
