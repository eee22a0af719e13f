import { pages, pageText, ruleFiles, rulesOf, type Rule } from './monitoring-files';
import { pageOf } from './page-of';

/** Pages about work that no alert asks for. */
const OTHER_PAGES = ['README', 'commands', 'restart', 'upgrade', 'rollback', 'backup'];
const PARTS = ['What it means', 'Look here', 'Do this', 'Wake'];

const alerts = rulesOf(ruleFiles()).filter(({ alert }) => alert !== undefined);

const fileOf = (page: string): string => `docs/operations/${page}.md`;

/** Alerts without a page or with the wrong one, and pages without an alert. */
function unpaired(rules: readonly Rule[], names: readonly string[]): string[] {
  const expected = new Set(rules.map(({ alert }) => pageOf(alert!)));
  return [
    ...rules.flatMap(({ alert, annotations }) => {
      const page = pageOf(alert!);
      const isNamed = annotations?.runbook_url === fileOf(page);
      return isNamed && names.includes(page) ? [] : [`${alert}: ${fileOf(page)}`];
    }),
    ...names.filter((name) => !OTHER_PAGES.includes(name) && !expected.has(name)),
  ];
}

it('each alert names its page, and each page has its alert', () => {
  expect(unpaired(alerts, pages())).toEqual([]);
});

it('and one without the other would be found', () => {
  const sample = { alert: 'TillEmpty', expr: 'up', annotations: { runbook_url: fileOf('till-empty') } };
  expect(unpaired([sample], [])).toEqual([`TillEmpty: ${fileOf('till-empty')}`]);
  expect(unpaired([{ ...sample, annotations: {} }], ['till-empty'])).toEqual([`TillEmpty: ${fileOf('till-empty')}`]);
  expect(unpaired([sample], ['till-empty', 'till-full'])).toEqual(['till-full']);
});

it.each([...new Set(alerts.map(({ alert }) => pageOf(alert!)))])('%s says what to do, on one screen', (name) => {
  const text = pageText(name);
  expect(PARTS.filter((part) => !text.includes(`**${part}`))).toEqual([]);
  expect(text.split('\n').length).toBeLessThan(40);
  expect(text).toMatch(/`kubectl -n evenkeel logs deploy\/\S+ [^]*\(commands\.md#logs\)[^]*\(commands\.md#databases\)/);
});

it('every alert says how urgent it is, and what has happened', () => {
  for (const { labels, annotations } of alerts) {
    expect(['page', 'ticket']).toContain(labels?.severity);
    expect(annotations?.summary).toMatch(/\.$/);
  }
});

/** Typed in a checkout alone, by who builds a release. */
const OF_CHECKOUTS = ['compat:check', 'restore:rehearse'];
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
