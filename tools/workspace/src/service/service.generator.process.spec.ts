import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tree } from '@nx/devkit';
import { createTreeWithEmptyWorkspace } from '@nx/devkit/testing';
import { ROOT } from '../run.fixture';
import { serviceGenerator, type ServiceOptions } from './service.generator';

const KNOWN_IN = [
  'apps/reporting/src/reporting.config.ts',
  'apps/standalone/src/hosted-services.ts',
  'libs/contracts/src/routes.ts',
  'eslint.config.mjs',
  'package.json',
];

function aTree(): Tree {
  const tree = createTreeWithEmptyWorkspace();
  for (const file of KNOWN_IN) tree.write(file, readFileSync(join(ROOT, file)));
  return tree;
}

async function generated(options: ServiceOptions) {
  const tree = aTree();
  await serviceGenerator(tree, { skipFormat: true, ...options });
  return { tree, read: (file: string) => tree.read(file, 'utf8') ?? '' };
}

describe('the service generator', () => {
  it('writes programs, settings, database, modules and a test', async () => {
    const { tree, read } = await generated({ name: 'user-mail' });
    expect(tree.children('apps/user-mail').sort()).toEqual([
      'README.md',
      'jest.config.js',
      'package.json',
      'src',
      'tsconfig.json',
    ]);
    expect(tree.children('apps/user-mail/src').sort()).toEqual([
      'app.module.ts',
      'database.ts',
      'doctor.ts',
      'index.ts',
      'main.ts',
      'migrate.ts',
      'service.int.spec.ts',
      'service.ts',
      'user-mail.config.ts',
      'user-mail.fixture.ts',
      'worker.ts',
    ]);
    expect(read('apps/user-mail/src/service.ts')).toContain('export const USER_MAIL: Service<UserMailConfig> = {');
    expect(read('eslint.config.mjs')).toContain("\n  'user-mail': [],\n};\n");
  });

  it('has tables of events where it is told to', async () => {
    const { tree, read } = await generated({ name: 'shipping', outbox: true });
    const [file = ''] = tree.children('apps/shipping/src/migrations');
    expect(file).toMatch(/^\d{14}-create-messaging\.ts$/);
    const migration = read(`apps/shipping/src/migrations/${file}`);
    expect(migration).toContain("import { createOutbox, dropOutbox } from '@evenkeel/platform/messaging';");
    expect(read('apps/shipping/src/app.module.ts')).toContain("OutboxRelayModule.forApp({ app: 'shipping', ");
  });

  it('listens on a port of its own', async () => {
    expect((await generated({ name: 'shipping' })).read('apps/shipping/src/shipping.config.ts')).toContain(
      'PORT = 3004;',
    );
    const { read } = await generated({ name: 'shipping', port: 3_100 });
    expect(read('apps/shipping/src/shipping.config.ts')).toContain('PORT = 3100;');
  });

  it('names a service once, also one that contracts know', async () => {
    const { read } = await generated({ name: 'billing' });
    const routes = read('libs/contracts/src/routes.ts');
    expect(routes).toBe(readFileSync(join(ROOT, 'libs/contracts/src/routes.ts'), 'utf8'));
    expect(read('apps/standalone/src/hosted-services.ts')).toContain('  hosted(BILLING),\n];');
  });

  it('overwrites nothing', async () => {
    await expect(serviceGenerator(aTree(), { name: 'reporting' })).rejects.toThrow('apps/reporting is already there');
  });
});
