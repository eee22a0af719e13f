import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Module } from '@nestjs/common';
import { createHttpApp } from './create-http-app';
import { anyFreePorts, someHttpOptions } from './http.fixture';
import { runHttp } from './run-http';

@Controller()
class SlowController {
  @Get('slow')
  async slow() {
    process.stdout.write('working\n');
    await sleep(700);
    return { done: true };
  }

  @Get('stuck')
  stuck() {
    process.stdout.write('working\n');
    return new Promise<never>(() => undefined);
  }
}

@Module({ controllers: [SlowController] })
class SlowModule {}

/** A service that prints its address, for tests of its end. */
async function main(): Promise<void> {
  const app = await createHttpApp(SlowModule, someHttpOptions());
  const { url } = await runHttp(app, anyFreePorts());
  process.stdout.write(`${url}\n`);
}

if (require.main === module) void main();
