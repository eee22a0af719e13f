import type { Variant } from '../variants.fixture';

/** One change of one object: at a path with slashes (JSON Pointer); undefined takes away what is there, at '' the object itself. */
export type Change = readonly [title: string, path: string, value?: unknown];

/** Changes that break a rule, and what it then says; in production with all components, or in the variant that it names. */
export type Sample = readonly [says: RegExp, ...Change[]] | readonly [variant: Variant, says: RegExp, ...Change[]];
export type SamplesOf<Rules> = Readonly<Record<keyof Rules, readonly Sample[]>>;

export const HTTP = 'Deployment accounts-http';
export const WORKER = 'Deployment accounts-worker';
export const POD = 'spec/template/spec';
export const CONTAINER = `${POD}/containers/0`;
export const CONFIG = 'ConfigMap accounts-config';
