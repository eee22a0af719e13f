import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../cluster';
import { ensureKustomize } from './ensure-kustomize';

const run = promisify(execFile);
const OUTPUT_LIMIT_BYTES = 64 * 1_024 * 1_024;

/**
 * The output of `kustomize build` for a folder.
 * @throws Error with what kustomize said
 */
export async function render(folder: string): Promise<KubernetesObject[]> {
  try {
    const { stdout } = await run(await ensureKustomize(), ['build', folder], { maxBuffer: OUTPUT_LIMIT_BYTES });
    return objectsIn(stdout);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`kustomize cannot build ${folder}: ${(stderr || message).trim()}`, { cause: error });
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
