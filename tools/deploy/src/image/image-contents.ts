import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MEGABYTE = 1024 * 1024;
/** Of everything in the image but Node and what is below it. */
export const SIZE_MAX_MB = 300;

/** Files that an image has no use for, and files that no image may show. */
const NOT_IN_IMAGES =
  /\.(spec|fixture)\.(ts|js)$|(^|\/)(\.env[^/]*|\.git|\.npm|\.cache|id_rsa|[^/]+\.(pem|key))$|\/dist\/testing$/;

export interface Contents {
  megabytes: number;
  /** `name@version` of each package that is installed, ours not among them; sorted. */
  packages: string[];
}

/** What lies in the folder of an image. Links lead to what is counted where it lies. */
export function contentsOf(app: string): Contents {
  const packages = new Set<string>();
  for (const manifest of manifestsIn(join(app, 'node_modules'))) {
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8')) as { name: string; version: string };
    packages.add(`${name}@${version}`);
  }
  return { megabytes: bytesOf(app) / MEGABYTE, packages: [...packages].sort() };
}

/**
 * What is wrong with the contents of an image, a sentence for each.
 * @param workspace its root: its lock file knows which packages are of development
 */
export function offencesIn(app: string, workspace: string): string[] {
  const { megabytes, packages } = contentsOf(app);
  const offences: string[] = [];
  if (megabytes > SIZE_MAX_MB) offences.push(`It has ${megabytes.toFixed(0)} MB, and may have ${SIZE_MAX_MB}.`);
  const known = packagesOfLock(join(workspace, 'package-lock.json'));
  for (const each of packages) {
    const isOfDevelopment = known.get(each);
    if (isOfDevelopment === undefined) offences.push(`${each} is not in the lock file of the workspace.`);
    if (isOfDevelopment) offences.push(`${each} is a package of development.`);
  }
  const listed = packagesOfSbom(join(app, 'sbom.cdx.json'));
  const unlisted = packages.filter((each) => !listed.includes(each));
  const absent = listed.filter((each) => !packages.includes(each));
  if (unlisted.length > 0) offences.push(`sbom.cdx.json does not name ${unlisted.join(', ')}.`);
  if (absent.length > 0) offences.push(`sbom.cdx.json names what is not installed: ${absent.join(', ')}.`);
  for (const file of filesIn(app, '')) {
    if (!file.startsWith('node_modules/') && NOT_IN_IMAGES.test(file))
      offences.push(`${file} does not belong into an image.`);
  }
  return offences;
}

/** By `name@version`: whether only development has it. */
function packagesOfLock(file: string): Map<string, boolean> {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, { name?: string; version?: string; dev?: boolean; devOptional?: boolean }>;
  };
  const known = new Map<string, boolean>();
  for (const [path, { name, version, dev = false }] of Object.entries(packages)) {
    const key = `${name ?? path.split('node_modules/').at(-1)}@${version}`;
    // In two places it may be of both kinds.
    known.set(key, dev && (known.get(key) ?? true));
  }
  return known;
}

function packagesOfSbom(file: string): string[] {
  const { bomFormat, components } = JSON.parse(readFileSync(file, 'utf8')) as {
    bomFormat: string;
    components: { purl: string }[];
  };
  if (bomFormat !== 'CycloneDX') throw new Error(`${file} is no list of CycloneDX.`);
  // Of a project of ours npm gives as name that of its folder.
  const names = components.map(({ purl }) => decodeURIComponent(purl.slice('pkg:npm/'.length)));
  return [...new Set(names)].filter((name) => !name.startsWith('@evenkeel/')).sort();
}

/** Of each package below a `node_modules`, nested ones too; links lead to projects of ours. */
function manifestsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || entry.name.startsWith('.')) return [];
    if (entry.name.startsWith('@')) return manifestsIn(path);
    const nested = join(path, 'node_modules');
    return [join(path, 'package.json'), ...(statSync(nested, { throwIfNoEntry: false }) ? manifestsIn(nested) : [])];
  });
}

function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...filesIn(root, path)] : [path];
  });
}

function bytesOf(path: string): number {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), stat.size);
}
