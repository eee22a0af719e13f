import { join } from 'node:path';
import { edgeConfiguration, type EdgeServer } from './edge-configuration';

/** What compose mounts into the container of the edge. */
export const COMPOSE_FILE = join(__dirname, '../../../../docker/edge/haproxy.cfg');

/** The internal port of every image. */
const INTERNAL_PORT = 9090;
const REPLICAS = 4;

/** Of a service that compose knows by its name, with as many containers as it is scaled to. */
function containers(host: string, port: number): EdgeServer[] {
  return [{ host, port, internalPort: INTERNAL_PORT, replicas: REPLICAS }];
}

/** The edge of `docker compose`, whose own name server knows the containers. */
export function composeEdge(): string {
  return edgeConfiguration({
    listen: '*:8080',
    resolver: '127.0.0.11:53',
    servers: {
      'agent-gateway': containers('agent-gateway', 3000),
      accounts: containers('accounts', 3001),
      billing: containers('billing', 3002),
      reporting: containers('reporting', 3003),
    },
  });
}
