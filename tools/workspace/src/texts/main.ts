import { join } from 'node:path';
import { brokenCitations } from './citations';
import { workspaceTexts } from './workspace-texts';

const broken = brokenCitations(workspaceTexts(join(__dirname, '../../../..')));
for (const line of broken) console.log(`${line} leads nowhere`);
process.exitCode = broken.length === 0 ? 0 : 1;
