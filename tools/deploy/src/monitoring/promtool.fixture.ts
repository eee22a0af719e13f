import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '@evenkeel/services';
import { stringify } from 'yaml';
import type { RuleGroups } from './monitoring-files';

const PROMTOOL = { name: 'promtool', debianPackage: 'prometheus', purpose: 'promtool of Prometheus 2.42 or later' };

export interface RuleTest {
  name: string;
  interval: string;
  input_series: { series: string; values: string }[];
  alert_rule_test: {
    eval_time: string;
    alertname: string;
    exp_alerts: { exp_labels: Record<string, string>; exp_annotations: Record<string, string> }[];
  }[];
}

export interface Said {
  code: number | null;
  text: string;
}

/** Prometheus' own tool. */
export class Promtool {
  private constructor(private readonly program: string) {}

  static async find(): Promise<Promtool> {
    return new Promtool(await ensureProgram(PROMTOOL, (line) => void process.stderr.write(`${line}\n`)));
  }

  /** Whether rules can be read. */
  check(rules: RuleGroups): Said {
    return this.inFolder((folder) => this.run(folder, 'check', 'rules', this.write(folder, 'rules.yaml', rules)));
  }

  /** Plays series to the rules. */
  test(files: ReadonlyMap<string, RuleGroups>, tests: readonly RuleTest[], every = '1m'): Said {
    return this.inFolder((folder) => {
      const rule_files = [...files].map(([name, rules]) => this.write(folder, name, rules));
      const played = { rule_files, evaluation_interval: every, tests };
      return this.run(folder, 'test', 'rules', this.write(folder, 'tests.yaml', played));
    });
  }

  private write(folder: string, name: string, content: object): string {
    writeFileSync(join(folder, name), stringify(content));
    return name;
  }

  private run(folder: string, ...args: string[]): Said {
    const { status, stdout, stderr } = spawnSync(this.program, args, { cwd: folder, encoding: 'utf8' });
    return { code: status, text: stdout + stderr };
  }

  private inFolder(work: (folder: string) => Said): Said {
    const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
    try {
      return work(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}
