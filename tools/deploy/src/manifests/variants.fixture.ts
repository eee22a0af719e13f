import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ISecret } from 'kubernetes-models/v1';
import { titleOf, type KubernetesObject } from './cluster';
import { ensureKustomize } from './kustomize/ensure-kustomize';
import { objectsIn, render } from './kustomize/render';

export const K8S = join(__dirname, '../../../../k8s');
const PROD = join(K8S, 'overlays/prod');
const DEV = join(K8S, 'overlays/dev');
const COMPONENTS = ['keda', 'monitoring', 'gateway-api'].map((name) => join(K8S, 'components', name));
const [KEDA, MONITORING, GATEWAY_API] = COMPONENTS as [string, string, string];

/** Every overlay, alone, with each component, and with all. */
export const VARIANTS = {
  dev: [DEV],
  'dev with all components': [DEV, ...COMPONENTS],
  prod: [PROD],
  'prod with keda': [PROD, KEDA],
  'prod with monitoring': [PROD, MONITORING],
  'prod with gateway-api': [PROD, GATEWAY_API],
  'prod with all components': [PROD, ...COMPONENTS],
} as const satisfies Record<string, readonly string[]>;
export type Variant = keyof typeof VARIANTS;

/** One change of one object: at a path with slashes; undefined takes away what is there, at '' the object itself. */
export type Change = readonly [title: string, path: string, value?: unknown];

export type Rendered = Readonly<Record<Variant, readonly KubernetesObject[]>>;

export async function renderVariants(): Promise<Rendered> {
  const kustomize = await ensureKustomize();
  const rendered: [string, KubernetesObject[]][] = [];
  for (const [name, [overlay, ...components]] of Object.entries(VARIANTS)) {
    rendered.push([name, await render(kustomize, overlay, components)]);
  }
  return Object.fromEntries(rendered) as unknown as Rendered;
}

/** Names and keys of the Secrets that an operator makes. */
export async function secretsElsewhere(): Promise<ISecret[]> {
  return objectsIn(await readFile(join(PROD, 'secrets.example.yaml'), 'utf8')) as unknown as ISecret[];
}

/** A copy with changes. The names of ConfigMaps and Secrets may end in the hash of their content. */
export function changed(objects: readonly KubernetesObject[], ...changes: readonly Change[]): KubernetesObject[] {
  const copy = structuredClone(objects) as KubernetesObject[];
  for (const [title, path, value] of changes) {
    const withHash = new RegExp(`^${title}(-[a-z0-9]{10})?$`);
    const index = copy.findIndex((object) => withHash.test(titleOf(object)));
    if (index < 0) throw new Error(`There is no ${title} to change.`);
    if (path === '') copy.splice(index, 1);
    else
      put(
        copy[index]!,
        path.split('/').map((key) => key.replaceAll('~1', '/')),
        value,
      );
  }
  return copy;
}

function put(object: object, path: readonly string[], value: unknown): void {
  const last = path.at(-1)!;
  let level = object as Record<string, unknown>;
  for (const key of path.slice(0, -1)) {
    if (typeof level[key] !== 'object' || level[key] === null)
      throw new Error(`There is no ${key} of ${path.join('/')}.`);
    level = level[key] as Record<string, unknown>;
  }
  if (value === undefined && !(last in level)) throw new Error(`There is no ${path.join('/')} to take away.`);
  if (value !== undefined) level[last] = value;
  else if (Array.isArray(level)) level.splice(Number(last), 1);
  else delete level[last];
}
