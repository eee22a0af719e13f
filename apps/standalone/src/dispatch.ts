import { ownerOf } from '@evenkeel/contracts';
import type { RequestHandler } from '@evenkeel/platform/http';
import type { RunningApps } from './running-app';

/** Leads a request to the app that owns its path; those of apps that are not here yet are refused by the gateway. */
export function dispatch(apps: RunningApps): RequestHandler {
  return (request, response) => {
    const owner = ownerOf(request.url!.split('?', 1)[0]!);
    (apps[owner] ?? apps['agent-gateway']).handle(request, response);
  };
}
