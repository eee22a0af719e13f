import type { Claim } from '../claim';
import type { Website } from '../website';

/** Reads one document. @throws Unreadable */
export type Reader = (site: Website) => Promise<Claim[]>;
