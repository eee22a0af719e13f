import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder, CannotStartService, ensureProgram } from '@evenkeel/services';
import { parseAllDocuments } from 'yaml';
import { Cluster, type KubernetesObject } from './cluster';

const run = promisify(execFile);
const OUTPUT_LIMIT_BYTES = 64 * 1_024 * 1_024;
/** The last one that the Go of Debian 12 builds. */
const VERSION = 'v5.0.3';
const MODULE = `sigs.k8s.io/kustomize/kustomize/v5@${VERSION}`;
const BUILD_LIMIT_MS = 900_000;

/** The rendered overlay, with the Secrets that its operator makes. @throws Error with what kustomize said */
export async function clusterOf(overlay: string): Promise<Cluster> {
  const { stdout } = await run(await ensureKustomize(), ['build', overlay], { maxBuffer: OUTPUT_LIMIT_BYTES });
  const secrets = join(overlay, 'secrets.example.yaml');
  const elsewhere = existsSync(secrets) ? objectsIn(readFileSync(secrets, 'utf8')) : [];
  return new Cluster(objectsIn(stdout), elsewhere);
}

/** kustomize 5 on the PATH, else built once for all checkouts of this user. Older ones do not know all that labels can be put on. */
async function ensureKustomize(): Promise<string> {
  const { stdout } = await run('kustomize', ['version']).catch(() => ({ stdout: '' }));
  // One that Go has built does not know its version.
  if (/\(devel\)|\bv?([5-9]|\d\d+)\.\d+\.\d+/.test(stdout)) return 'kustomize';
  // Standard error: what a command prints for other programs stays clean.
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const folder = await cachedFolder(`kustomize-${VERSION}`, async (unfinished) => {
    const purpose = 'Go 1.19 or newer, or kustomize 5';
    const go = await ensureProgram({ name: 'go', debianPackage: 'golang-go', purpose }, log);
    log(`Building kustomize ${VERSION} with Go, once: a minute or two.`);
    // The shell adds one variable to those that this process was started with. To optimise a program that runs for seconds takes longer.
    const install = ['-c', 'GOBIN="$0" exec "$1" install -gcflags="all=-N -l" "$2"', unfinished, go, MODULE];
    await run('sh', install, { timeout: BUILD_LIMIT_MS }).catch((cause: Error) => {
      const byHand = `Type "go install ${MODULE}" and put $(go env GOPATH)/bin on the PATH.`;
      throw new CannotStartService(`Go could not build kustomize. ${byHand}\n${cause.message}`, { cause });
    });
  });
  return join(folder, 'kustomize');
}

/** Objects of a text in YAML, as Go reads it: kustomize leaves an address in hex without quotes, and breaks long values of Secrets. */
function objectsIn(text: string): KubernetesObject[] {
  const documents = parseAllDocuments(text, {
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !('format' in tag) || tag.format !== 'HEX'),
  });
  const objects = documents.flatMap((document) => (document.toJSON() as KubernetesObject | null) ?? []);
  for (const { kind, data = {} } of objects)
    if (kind === 'Secret') for (const [key, value] of Object.entries(data)) data[key] = value.replace(/\s/g, '');
  return objects;
}
