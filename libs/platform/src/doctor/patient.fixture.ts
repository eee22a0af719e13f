import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { RemoteSignInConfig } from '../auth';
import { postgresOptions } from '../persistence';
import { mint } from '../persistence/persistence.fixture';
import { keySetProbe } from './probe-key-set';
import { runDoctor, type Patient } from './run-doctor';
import { type Limits } from './finding';

class ShopConfig extends RemoteSignInConfig {}

/** A service of this name, with the topics of the product's service of that name. */
export function aPatient(name: string, more: { limits?: Limits; workerOnlyReads?: boolean } = {}): Patient<ShopConfig> {
  const { limits, workerOnlyReads } = more;
  const database = ({ DATABASE_URL: url }: ShopConfig) => postgresOptions({ ...mint, url });
  return {
    service: { name, config: ShopConfig, database, workerOnlyReads },
    probes: (config) => [keySetProbe(config)],
    limits,
  };
}

/** What the doctor prints about a patient. */
export async function examined(
  patient: Patient<ShopConfig>,
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number; said: string }> {
  let said = '';
  const say = (text: string): void => void (said += text);
  const code = await runDoctor(patient, args, env, { out: say, err: say });
  return { code, said };
}

/** Accepts connections and never says a word. */
export class SilentServer {
  private readonly sockets = new Set<Socket>();
  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => this.sockets.add(socket.on('error', () => undefined)));
  }

  static async start(): Promise<SilentServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SilentServer(server);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}
