import { pages, pageText, ruleFiles, rulesOf, type Rule } from './monitoring-files';
import { anchorOf, runbookOf, sections } from './page-of';

const PARTS = ['What it means', 'Look here', 'Do this', 'Wake'];

const alerts = rulesOf(ruleFiles()).filter(({ alert }) => alert !== undefined);
const aboutAlerts = [...sections()].filter(([, { text }]) => text.includes(`**${PARTS[0]}`));

/** Alerts without a section or that lead elsewhere, and sections without an alert. */
function unpaired(rules: readonly Rule[], anchors: readonly string[]): string[] {
  const expected = new Set(rules.map(({ alert }) => anchorOf(alert!)));
  return [
    ...rules.flatMap(({ alert, annotations }) => {
      const isNamed = annotations?.runbook_url === runbookOf(alert!);
      return isNamed && anchors.includes(anchorOf(alert!)) ? [] : [`${alert}: ${runbookOf(alert!)}`];
    }),
    ...anchors.filter((anchor) => !expected.has(anchor)),
  ];
}

it('each alert names its section, and each section has its alert', () => {
  const anchors = aboutAlerts.map(([anchor]) => anchor);
  expect(unpaired(alerts, anchors)).toEqual([]);
});

it('and one without the other would be found', () => {
  const url = runbookOf('TillEmpty');
  const sample = { alert: 'TillEmpty', expr: 'up', annotations: { runbook_url: url } };
  expect(unpaired([sample], [])).toEqual([`TillEmpty: ${url}`]);
  expect(unpaired([{ ...sample, annotations: {} }], ['till-empty'])).toEqual([`TillEmpty: ${url}`]);
  expect(unpaired([sample], ['till-empty', 'till-full'])).toEqual(['till-full']);
});

it.each(aboutAlerts)('%s says what to do, on one screen', (_anchor, { text }) => {
  expect(PARTS.filter((part) => !text.includes(`**${part}`))).toEqual([]);
  expect(text.split('\n').length).toBeLessThan(40);
});

it.each([...new Set(aboutAlerts.map(([, { page }]) => page))])(
  '%s begins with log and database, wherever it runs',
  (page) => {
    const [head = ''] = pageText(page).split(/^## /m);
    expect(head).toMatch(
      /^\| Kubernetes +\| `kubectl -n evenkeel logs deploy\/\S+ [^|]+\| `kubectl cnpg psql (\S+)-postgresql .* \w+`/m,
    );
    expect(head).toMatch(
      /^\| compose +\| `docker compose -f \S+ logs [^|]+\| `docker compose -f \S+ exec postgres psql /m,
    );
    expect(head).toMatch(/^\| one machine +\| `npm start [^`]+` +\| `\(\. \.data\/\S+\.env; psql "\$DATABASE_URL"\)`/m);
  },
);

it('every alert says how urgent it is, and what has happened', () => {
  for (const { labels, annotations } of alerts) {
    expect(['page', 'ticket']).toContain(labels?.severity);
    expect(annotations?.summary).toMatch(/\.$/);
  }
});

/** Typed in a checkout alone: by who builds a release, or as a buyer. */
const OF_CHECKOUTS = ['compat:check', 'restore:rehearse', 'offer:check', 'agent'];
const LINK = `](${'commands'}.md)`;
const UNEXPLAINED = 'it does not say where commands in containers are';
const forms = new Set([...pageText('commands').matchAll(/^\| `([\w:]+)/gm)].map(([, command]) => command!));

/** Commands of a page that its reader cannot type where there is no npm, and whether it says where they are explained. */
function untyped(text: string): string[] {
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, command]) => command!);
  const commands = named.filter((command) => !OF_CHECKOUTS.includes(command));
  const isExplained = commands.length === 0 || text.includes(LINK);
  return [...commands.filter((command) => !forms.has(command)), ...(isExplained ? [] : [UNEXPLAINED])];
}

it.each(pages().filter((name) => name !== 'commands'))(
  '%s has commands that can be typed in containers, too',
  (name) => {
    expect(untyped(pageText(name))).toEqual([]);
  },
);

it('and one that could not would be found', () => {
  expect(untyped('Type `npm run events:count`.')).toEqual(['events:count', UNEXPLAINED]);
  expect(untyped('Type `npm run reconcile`.')).toEqual([UNEXPLAINED]);
  expect(untyped(`Type \`npm run reconcile\` ([in a container${LINK}).`)).toEqual([]);
});
