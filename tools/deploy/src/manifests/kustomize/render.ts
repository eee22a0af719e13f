import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../cluster';

const run = promisify(execFile);
const OUTPUT_LIMIT_BYTES = 64 * 1_024 * 1_024;

/**
 * What `kustomize build` makes of a folder, with components on top.
 * @throws Error with what kustomize said
 */
export async function render(
  kustomize: string,
  folder: string,
  components: readonly string[] = [],
): Promise<KubernetesObject[]> {
  // A folder of its own takes components; kustomize wants paths relative to it.
  const place = await realpath(await mkdtemp(join(tmpdir(), 'manifests-')));
  try {
    const inPlace = (path: string) => relative(place, resolve(path));
    const kustomization = { resources: [inPlace(folder)], components: components.map(inPlace) };
    await writeFile(join(place, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { stdout } = await run(kustomize, ['build', place], { maxBuffer: OUTPUT_LIMIT_BYTES });
    return objectsIn(stdout);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`kustomize cannot build ${folder}: ${(stderr || message).trim()}`, { cause: error });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Objects of a text in YAML, as Go reads it: kustomize leaves an address in hex without quotes, and breaks long values of Secrets. */
export function objectsIn(text: string): KubernetesObject[] {
  const documents = parseAllDocuments(text, {
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !('format' in tag) || tag.format !== 'HEX'),
  });
  const objects = documents.map((document) => document.toJSON() as (KubernetesObject & { data?: object }) | null);
  return objects
    .filter((object) => object !== null)
    .map((object) => (object.kind === 'Secret' ? joined(object) : object));
}

function joined({ data = {}, ...secret }: KubernetesObject & { data?: object }): KubernetesObject {
  const values = Object.entries(data).map(([key, value]) => [key, String(value).replace(/\s/g, '')]);
  return { ...secret, data: Object.fromEntries(values) as object } as KubernetesObject;
}
