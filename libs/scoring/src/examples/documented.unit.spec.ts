import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_VERSION } from '../index';

const DOCS = join(__dirname, '../../../../docs');
const text = readFileSync(join(DOCS, 'scoring.md'), 'utf8');
const links = [...text.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)].map(([, name, target]) => [name!, target!] as const);

describe('docs/scoring.md', () => {
  it.each(links)('%s leads to %s', (_, target) => {
    expect(existsSync(join(DOCS, target))).toBe(true);
  });

  it.each(Array.from({ length: 17 }, (_, i) => `S${i + 1}`))('%s leads to its test', (property) => {
    const [, target] = links.find(([name]) => name === property)!;
    expect(readFileSync(join(DOCS, target), 'utf8')).toContain(`describe('${property}', `);
  });

  it('is about the running version', () => {
    expect(text).toContain(`version ${ENGINE_VERSION}:`);
    expect(text).toContain(`- **${ENGINE_VERSION}.**`);
  });

  it('has headings for its table of parts', () => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => anchor(heading!));
    const parts = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, part]) => part);
    expect(parts).toEqual(headings);
  });
});

function anchor(heading: string): string {
  return heading.toLowerCase().replaceAll(/[.,]/g, '').replaceAll(' ', '-');
}
