import { html, nothing, svg } from 'lit-html';
import type { CreditFlow, Credits } from './answers';
import type { Frame } from './frame';
import { named, numbers, table } from './table';
import { moneyText, periodText, shortDateText } from './text';
import { count, money } from './values';

/** From what was owed before the period to what is owed after it. */
export const credits: Frame = {
  name: 'credits',
  id: 'credits',
  title: 'Owed in call credits',
  tools: ({ answers }) => (answers.credits ? html`<p class="muted">${periodText(answers.credits)}</p>` : nothing),
  content: ({ answers: { credits: answer } }) => {
    const steps = stepsOf(answer);
    const bars = stepBars(steps.map(({ sign, flow }) => ({ sign, usd: flow?.face_value.usd ?? 0 })));
    return html`
      ${table<Step>({
        caption: 'What is owed in call credits, from the opening to the closing of the period',
        kind: 'roll-forward',
        columns: [
          named('Call credits', ({ name, sign }) => html`<span class="sign">${sign === '=' ? '' : sign}</span>${name}`),
          numbers('Number', ({ flow }) => count(flow?.credits)),
          numbers('Value, USD', ({ flow }) => money(flow?.face_value)),
          {
            title: 'As a bar',
            kind: 'step',
            head: html`<span class="unseen">As a bar</span>`,
            value: ({ sign }, index) => stepDrawing(sign, bars[index]!),
          },
        ],
        rows: steps,
        around: ({ sign }, cells) =>
          html`<tr role="row" class=${sign === '=' ? 'sum' : nothing}>
            ${cells}
          </tr>`,
      })}
      ${answer ? html`<p class="muted">${redeemedWords(answer)}</p>` : nothing}
    `;
  },
};

interface Step {
  name: string;
  sign: '=' | '+' | '\u2212';
  flow: CreditFlow | undefined;
}

function stepsOf(answer: Credits | undefined): Step[] {
  const isOver = answer === undefined || answer.to < answer.as_of.slice(0, 10);
  const [from, to] = answer ? [`, ${shortDateText(answer.from)}`, `, ${shortDateText(answer.to)}`] : ['', ''];
  return [
    { name: `Opening${from}`, sign: '=', flow: answer?.opening },
    { name: 'Issued', sign: '+', flow: answer?.issued },
    { name: 'Redeemed', sign: '\u2212', flow: answer?.redeemed },
    { name: 'Expired', sign: '\u2212', flow: answer?.expired },
    { name: `Closing${to}${isOver ? '' : ', so far'}`, sign: '=', flow: answer?.closing },
  ];
}

function stepDrawing(sign: Step['sign'], { from, width }: StepBar): unknown {
  return html`<svg aria-hidden="true">
    ${svg`<rect data-sign=${sign} x="${from}%" width="${width}%" height="100%" rx="2" />`}
  </svg>`;
}

interface StepBar {
  /** In per cent of the longest way. */
  from: number;
  width: number;
}

/**
 * Bars that begin where the one before them ended, so that they lead from the first sum to the last. What is less than
 * nothing, as before the news of an issue, has no length.
 */
export function stepBars(steps: readonly { sign: Step['sign']; usd: number }[]): StepBar[] {
  let reached = 0;
  const ends = steps.map(({ sign, usd }): [number, number] => {
    const begin = sign === '=' ? 0 : reached;
    reached = sign === '=' ? usd : reached + (sign === '+' ? usd : -usd);
    return [Math.max(0, Math.min(begin, reached)), Math.max(0, begin, reached)];
  });
  const longest = Math.max(0.01, ...ends.map(([, end]) => end));
  return ends.map(([begin, end]) => ({ from: (begin / longest) * 100, width: ((end - begin) / longest) * 100 }));
}

function redeemedWords({ redeemed, rebate_redeemed: paid, returned_change: back }: Credits): string {
  const expire = 'Credits that expire are owed no more.';
  if (redeemed.credits === 0) return expire;
  const change = `${moneyText(back)} USD of change, back with the wallets.`;
  return `Redeemed: calls for ${moneyText(paid)} USD, and ${change} ${expire}`;
}
