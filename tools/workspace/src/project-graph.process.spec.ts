import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.fixture';

jest.setTimeout(120_000);

interface GraphFile {
  graph: { dependencies: Record<string, { target: string }[]> };
}

const short = (name: string) => name.replace('@evenkeel/', '');

async function dependencies(): Promise<Map<string, string[]>> {
  const file = join(tmpdir(), `evenkeel-graph-${process.pid}.json`);
  try {
    await run('nx', ['graph', '--file', file]);
    const { graph } = JSON.parse(await readFile(file, 'utf8')) as GraphFile;
    const entries = Object.entries(graph.dependencies);
    return new Map(entries.map(([name, found]) => [short(name), found.map(({ target }) => short(target))]));
  } finally {
    await rm(file, { force: true });
  }
}

describe('the graph of the projects', () => {
  it('has an edge for what a project imports, and none for what it does not', async () => {
    const graph = await dependencies();
    const libs = ['contracts', 'kernel', 'platform', 'scoring'];
    expect(graph.get('agent-gateway')).toEqual(expect.arrayContaining(libs));
    expect(graph.get('standalone')).toEqual(expect.arrayContaining(['agent-gateway', 'reporting', 'facilitator']));
    expect(graph.get('contracts')).toEqual(['kernel']);
    expect(graph.get('kernel')).toEqual([]);
    expect(graph.get('scoring')).toEqual([]);
  });

  it('tells what a change touches: of the kernel nearly everything, of an app what starts it', async () => {
    const touchedBy = async (file: string) => {
      const names = await run('nx', ['show', 'projects', '--affected', '--files', file]);
      return names.trim().split('\n').map(short).sort();
    };
    const ofKernel = await touchedBy('libs/kernel/src/index.ts');
    expect(ofKernel.length).toBeGreaterThanOrEqual(12);
    expect(ofKernel).toEqual(expect.arrayContaining(['agent-gateway', 'contracts', 'kernel', 'platform', 'reporting']));
    expect(await touchedBy('apps/reporting/src/index.ts')).toEqual([
      'deploy',
      'rehearse',
      'reporting',
      'standalone',
    ]);
  });
});
