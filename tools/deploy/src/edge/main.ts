import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { APP_NAMES, type AppName } from '@evenkeel/contracts';
import { Command, runCommand, startCommand } from '@evenkeel/platform/command-line';
import { edgeConfiguration, type EdgeServer } from './edge-configuration';

const ROOT = join(__dirname, '../../../..');
/** The internal port of every image. */
const INTERNAL_PORT = 9090;
const COMPOSE_PORTS = { 'agent-gateway': 3000, accounts: 3001, billing: 3002, reporting: 3003 } as const;
/** As many containers as one scales to on one machine. */
const COMPOSE_REPLICAS = 4;
/** `maxReplicas` of the HorizontalPodAutoscaler, and as many again while a release is rolled out. */
const KUBERNETES_REPLICAS = 12;

function eachApp(serverOf: (app: AppName) => Omit<EdgeServer, 'internalPort'>): Record<AppName, EdgeServer[]> {
  const servers = APP_NAMES.map((app) => [app, [{ internalPort: INTERNAL_PORT, ...serverOf(app) }]]);
  return Object.fromEntries(servers) as Record<AppName, EdgeServer[]>;
}

/** The output of `npm run edge:write`, by file. */
export const WRITTEN_EDGES: Readonly<Record<string, string>> = {
  // The name server of compose knows the containers.
  [join(ROOT, 'docker/edge/haproxy.cfg')]: edgeConfiguration({
    listen: '*:8080',
    resolver: 'nameserver first 127.0.0.11:53',
    servers: eachApp((app) => ({ host: app, port: COMPOSE_PORTS[app], replicas: COMPOSE_REPLICAS })),
  }),
  // A headless Service has an address for each pod, of those that are not ready too: so documents and offers are answered while a
  // database is away. What ends TLS stands in front and says the address of the client.
  [join(ROOT, 'k8s/base/edge/haproxy.cfg')]: edgeConfiguration({
    listen: '*:8080',
    isBehindProxy: true,
    probePort: 8081,
    resolver: 'parse-resolv-conf',
    servers: eachApp((app) => ({
      host: `${app}-http-internal.\${SERVICE_DOMAIN}`,
      port: 8080,
      replicas: KUBERNETES_REPLICAS,
    })),
  }),
};

const WRITE = new Command('npm run edge:write --').description(
  'Writes the configurations of HAProxy for compose and for Kubernetes from the routes.',
);

if (require.main === module) {
  startCommand(process.env, (args, _env, streams) =>
    runCommand(WRITE, args, streams, (_none, { out }) => {
      for (const [file, text] of Object.entries(WRITTEN_EDGES)) {
        writeFileSync(file, text);
        out(`Wrote ${relative(process.cwd(), file)}.\n`);
      }
    }),
  );
}
