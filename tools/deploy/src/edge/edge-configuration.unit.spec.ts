import { readFileSync } from 'node:fs';
import { WRITTEN_EDGES } from './main';

it.each(Object.entries(WRITTEN_EDGES))('%s is what the routes make it: npm run edge:write', (file, text) => {
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('says the address of the connection where clients connect to it themselves', () => {
  const [ofCompose] = Object.values(WRITTEN_EDGES);
  expect(ofCompose).toContain('http-request set-header X-Forwarded-For %[src]');
  expect(ofCompose).not.toContain('hdr_ip(x-forwarded-for');
});
