import { html, nothing } from 'lit-html';
import type { CreditFlow, Credits } from './answers';
import type { Frame } from './frame';
import { named, numbers, table } from './table';
import { moneyText, periodText, shortDateText } from './text';
import { count, money } from './values';

export const credits: Frame = {
  name: 'credits',
  id: 'credits',
  title: 'Owed in call credits',
  tools: ({ answers }) => (answers.credits ? html`<p class="muted">${periodText(answers.credits)}</p>` : nothing),
  content: ({ answers: { credits: answer } }) => html`
    ${table<Step>({
      caption: 'What is owed in call credits, from the opening to the closing of the period',
      kind: 'roll-forward',
      columns: [
        named('Call credits', ([name, sign]) => html`<span class="sign">${sign}</span>${name}`),
        numbers('Number', ([, , flow]) => count(flow?.credits)),
        numbers('Value, USD', ([, , flow]) => money(flow?.face_value)),
      ],
      rows: stepsOf(answer),
      around: ([, sign], cells) =>
        html`<tr role="row" class=${sign === '' ? 'sum' : nothing}>
          ${cells}
        </tr>`,
    })}
    ${answer ? html`<p class="muted">${redeemedWords(answer)}</p>` : nothing}
  `,
};

type Step = readonly [name: string, sign: '' | '+' | '\u2212', flow: CreditFlow | undefined];

function stepsOf(answer: Credits | undefined): Step[] {
  const isOver = answer === undefined || answer.to < answer.as_of.slice(0, 10);
  const [from, to] = answer ? [`, ${shortDateText(answer.from)}`, `, ${shortDateText(answer.to)}`] : ['', ''];
  return [
    [`Opening${from}`, '', answer?.opening],
    ['Issued', '+', answer?.issued],
    ['Redeemed', '\u2212', answer?.redeemed],
    ['Expired', '\u2212', answer?.expired],
    [`Closing${to}${isOver ? '' : ', so far'}`, '', answer?.closing],
  ];
}

function redeemedWords({ redeemed, rebate_redeemed: paid, returned_change: back }: Credits): string {
  const expire = 'Credits that expire are owed no more.';
  if (redeemed.credits === 0) return expire;
  const change = `${moneyText(back)} USD of change, back with the wallets.`;
  return `Redeemed: calls for ${moneyText(paid)} USD, and ${change} ${expire}`;
}
