import { join } from 'node:path';
import { brokenCitations } from './citations';

const broken = brokenCitations(join(__dirname, '../../../..'));
for (const line of broken) console.log(`${line} leads nowhere`);
process.exitCode = broken.length === 0 ? 0 : 1;
