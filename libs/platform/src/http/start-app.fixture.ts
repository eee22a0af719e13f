import type { Type } from '@nestjs/common';
import { createHttpApp } from './create-http-app';
import { anyFreePorts, someHttpOptions } from './http.fixture';
import type { HttpOptions } from './http-options';
import { requestHandler, serve, type RunningHttp } from './run-http';

/** A module over HTTP, on a free port. */
export async function startApp(module: Type, over: Partial<HttpOptions> = {}): Promise<RunningHttp> {
  const app = await createHttpApp(module, someHttpOptions(over));
  return serve(await requestHandler(app), anyFreePorts(), () => app.close());
}
