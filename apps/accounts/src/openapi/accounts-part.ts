import { randomBytes } from 'node:crypto';
import { ErrorBody, type OpenApiDocument } from '@evenkeel/contracts';
import { loadConfig, newEs256Key } from '@evenkeel/platform/config';
import { partOf, recordedAnswers, recordedExamples } from '@evenkeel/platform/openapi';
import { appModule } from '@evenkeel/platform/service';
import { AccountsConfig } from '../accounts.config';
import { ACCOUNTS } from '../service';

const TAGS = [
  { name: 'Sign-in', description: 'Accounts, sessions and tokens of people.' },
  { name: 'Mail addresses', description: 'To prove an address, and to take another.' },
  { name: 'Forgotten passwords', description: 'To choose another password, by a link in a mail.' },
  { name: 'Habits', description: 'What people want to do again and again.' },
  { name: 'Analysis', description: 'What the logs mean.' },
  { name: 'Import and export', description: 'Files of other trackers, and of our own.' },
  { name: 'Account', description: 'Taking everything along, and leaving nothing behind.' },
];

/** The routes of accounts in OpenAPI, read from its controllers; none of them is started. */
export async function accountsPart(recorded = recordedAnswers('accounts')): Promise<OpenApiDocument> {
  const config = loadConfig(AccountsConfig, {
    DATABASE_URL: 'postgres://nobody@localhost/nothing',
    JWT_KEYS: newEs256Key('nobody'),
    REFRESH_TOKEN_KEYS: `nobody:${randomBytes(32).toString('base64')}`,
  });
  return partOf(appModule(ACCOUNTS, config), {
    info: { title: 'Accounts', version: '1.0.0' },
    tags: TAGS,
    contracts: { bodies: [], answers: [ErrorBody] },
    examples: recordedExamples(recorded),
    description: 'The answer',
  });
}
