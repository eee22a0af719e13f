import { writeFileSync } from 'node:fs';
import { BUILT_DOCUMENT, bundledDocument } from './dashboard-document';

writeFileSync(BUILT_DOCUMENT, bundledDocument());
