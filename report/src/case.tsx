/** The view of one case, in the report of a run and in an editor. */

import type { ComponentChildren, VNode } from 'preact';
import { History } from './charts';
import type { CaseDetails, Criterion, Evaluator, SentRequest, Usage } from './data';
import { amount, count, decimal, dollars, moment, percent, plain, safeText, seconds } from './format';
import { rendered } from './markdown';
import { Copy, Cut, Fold, Mark, Sign, Text } from './pieces';

/** The actions for a case; there are more in an editor than in a browser. */
export interface Actions {
  said(words: string): void;
  /** Opens a line (from 0) of the suite, by default that of the case. */
  suite?: (line?: number) => void;
  run?: () => void;
  diff?: () => void;
  reply?: () => void;
  copy?: () => void;
  /** An address that opens the case in an editor. */
  open?: string | undefined;
}

interface Props {
  report: CaseDetails;
  actions: Actions;
  children?: ComponentChildren;
}

export function Case({ report, actions, children }: Props): VNode {
  return (
    <article class="case">
      <Header report={report} actions={actions}>{children}</Header>
      <Reasons report={report} />
      {report.before && <Before now={report} before={report.before} />}
      <div class="columns">
        <div class="main">
          {report.prompt !== undefined && <section aria-labelledby="input"><h2 id="input">Input</h2><Text text={report.prompt} label="Input" /></section>}
          <Answer report={report} />
          {[...report.evaluators].sort(failedFirst).map((each, index) => <EvaluatorPart each={each} id={`e${index}`} actions={actions} />)}
          <Requests sent={report.requests ?? []} />
        </div>
        <aside aria-label="Figures" class="side">
          <ScoreTable report={report} />
          <Past report={report} />
          <Took usage={report.usage ?? []} />
          <section aria-labelledby="command">
            <h2 id="command">In a terminal</h2>
            <div class="command"><code>{safeText(report.command)}</code><Copy text={report.command} said={actions.said} act={actions.copy} /></div>
          </section>
        </aside>
      </div>
      <Cut cut={report.cut} />
    </article>
  );
}

function Header({ report, actions, children }: Props): VNode {
  const facts: [string, string][] = [
    ['Suite', report.suite.name],
    ['Dialect', report.dialect],
    ['Target', report.target],
    [report.judges.length > 1 ? 'Judges' : 'Judge', report.judges.join(', ')],
    ['Time', report.durationMs ? seconds(report.durationMs) : ''],
    ['Cost', report.costUsd ? dollars(report.costUsd) : ''],
    ['Run', moment(report.at)],
  ];
  const judged = report.judges.length > 1 ? "Judges' replies" : "Judge's reply";
  return (
    <header>
      <div class="title"><h1 tabIndex={-1}>{safeText(report.caseId)}</h1>{children}</div>
      <p class={`verdict ${report.verdict}`} data-announce>
        <span class="word"><Sign verdict={report.verdict} /> {report.verdict}</span>
        {report.score !== undefined && <><span class="number">{decimal(report.score)}</span>{report.threshold !== undefined && <span class="needed">needs {decimal(report.threshold)}</span>}</>}
      </p>
      {report.stale && <p class="stale"><span aria-hidden="true">◌</span> Stale: the case has changed since this run.</p>}
      <dl class="facts">{facts.filter(([, value]) => value).map(([name, value]) => <div><dt>{name}</dt><dd>{safeText(value)}</dd></div>)}</dl>
      {(actions.run || actions.suite || actions.open) && (
        <div class="actions" role="group" aria-label="Actions">
          {actions.run && <Button act="run" does={actions.run}>{report.stale ? 'Run case' : 'Run again'}</Button>}
          {actions.diff && report.answer !== undefined && report.expectedOutput !== undefined && <Button act="diff" does={actions.diff}>Compare with expected</Button>}
          {actions.reply && report.judges.length > 0 && <Button act="reply" does={actions.reply}>{judged}</Button>}
          {actions.suite && <Button act="suite" does={() => actions.suite?.()}>Show in suite</Button>}
          {actions.open && <a class="button" href={actions.open}>Open in VS Code</a>}
        </div>
      )}
    </header>
  );
}

export const Button = ({ act, does, children }: { act: string; does: () => void; children: ComponentChildren }) => (
  <button type="button" data-act={act} data-key={act} onClick={does}>{children}</button>
);

function Reasons({ report }: { report: CaseDetails }): VNode {
  const failed = report.graderErrors ?? [];
  const told = failed.some(({ evaluator, error }) => report.reason.startsWith(`${evaluator}: ${error}`));
  return (
    <>
      {failed.length > 0 && (
        <section class="errors" aria-labelledby="errors">
          <h2 id="errors"><span aria-hidden="true">⚠</span> {amount(failed.length, 'grader')} failed</h2>
          <ul>{failed.map(({ evaluator, error }) => <li><strong>{safeText(evaluator)}:</strong> {safeText(error)}</li>)}</ul>
        </section>
      )}
      {report.reason && !told && <p class="reason">{safeText(report.reason)}</p>}
      {report.flips.length > 0 && <section class="flips" aria-labelledby="flips"><h2 id="flips">To pass</h2><ul>{report.flips.map((flip) => <li>{safeText(flip)}</li>)}</ul></section>}
    </>
  );
}

/** The case in the previous run: its answer, and the results of its evaluators. */
function Before({ now, before }: { now: CaseDetails; before: CaseDetails }): VNode {
  const known = new Map(before.evaluators.map((each) => [each.name, each]));
  const names = [...new Set([...now.evaluators, ...before.evaluators].map(({ name }) => name))];
  const current = new Map(now.evaluators.map((each) => [each.name, each]));
  const cell = (each: Evaluator | undefined) => (each ? <><Sign verdict={each.verdict} /> <span class="unseen">{each.verdict} </span>{decimal(each.score)}</> : '–');
  return (
    <section aria-labelledby="before" class="before panel">
      <h2 id="before">Compared with the run before</h2>
      <p class="change"><Mark verdict={before.verdict} /> <span class="n">{decimal(before.score)}</span> <span aria-hidden="true">→</span><span class="unseen">then</span> <Mark verdict={now.verdict} /> <span class="n">{decimal(now.score)}</span></p>
      <table>
        <thead><tr><th scope="col">Evaluator</th><th scope="col" class="n">Before</th><th scope="col" class="n">Now</th></tr></thead>
        <tbody>{names.map((name) => <tr><th scope="row">{safeText(name)}</th><td class="n">{cell(known.get(name))}</td><td class="n">{cell(current.get(name))}</td></tr>)}</tbody>
      </table>
      {before.answer !== undefined && <Fold name="before-answer" title="The answer before">{() => <Said text={before.answer ?? ''} label="Answer before" />}</Fold>}
    </section>
  );
}

function ScoreTable({ report }: { report: CaseDetails }): VNode | null {
  if (!report.evaluators.length) return null;
  return (
    <section aria-labelledby="score">
      <h2 id="score">Score</h2>
      {report.score !== undefined && <Total report={report} />}
      <table class="scores">
        <thead><tr><th scope="col">Evaluator</th><th scope="col" class="n">Score</th><th scope="col" class="n">Weight</th><th scope="col" class="n">Gives</th></tr></thead>
        <tbody>
          {report.evaluators.map((each) => (
            <tr>
              <th scope="row"><Sign verdict={each.verdict} /> <span class="unseen">{each.verdict} </span>{safeText(each.name)}</th>
              <td class="n">{decimal(each.score)}{each.passes && <> <span class="of">{each.passes}</span></>}</td>
              <td class="n">{plain(each.weight)}</td>
              <td class="n">{decimal(each.contribution)} <span class="of">of {percent(each.share)}</span></td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The contributions of the evaluators to the score, next to the score that is required. */
function Total({ report }: { report: CaseDetails }): VNode {
  const width = (part: number | undefined) => `${100 * Math.max(0, Math.min(1, part ?? 0))}%`;
  return (
    <div class={`total ${report.verdict}`} role="img" aria-label={report.threshold === undefined ? decimal(report.score) : `${decimal(report.score)} of ${decimal(report.threshold)} needed`}>
      <div class="given">{report.evaluators.map((each) => <span title={`${each.name} ${decimal(each.contribution)}`} style={{ width: width(each.contribution) }} />)}</div>
      {report.threshold !== undefined && <span class="needs" style={{ left: width(report.threshold) }} />}
    </div>
  );
}

function EvaluatorPart({ each, id, actions }: { each: Evaluator; id: string; actions: Actions }): VNode | null {
  // For criteria, these lists would repeat the same content.
  const lists = each.criteria.length === 0;
  const members = each.members ?? [];
  const replies = each.replies ?? [];
  const empty = !each.passes && !each.gate && !each.reason && !each.reasoning && !each.criteria.length && !members.length && !each.hits.length && !each.misses.length && !replies.length;
  if (empty) return null;
  return (
    <section aria-labelledby={id} class={`evaluator ${each.verdict}`}>
      <h2 id={id}><Place text={each.name} line={each.range?.start.line} actions={actions} /> <span class="kind">{each.type !== each.name && each.type}</span> <span class="note">{tally(each)}</span> <span class="right"><Mark verdict={each.verdict} /> <span class="n">{decimal(each.score)}</span></span></h2>
      {each.gate && <p><strong>Gate:</strong> {safeText(each.gate)}</p>}
      {each.reason && <p>{safeText(each.reason)}</p>}
      {each.reasoning && each.reasoning !== each.reason && <blockquote>{safeText(each.reasoning)}</blockquote>}
      {lists && <Signed name="Found" items={each.hits} sign="✔" />}
      {lists && <Signed name="Missing" items={each.misses} sign="✘" />}
      {each.criteria.map((criterion) => <CriterionPart each={criterion} actions={actions} />)}
      {members.map((member, number) => <EvaluatorPart each={member} id={`${id}-${number}`} actions={actions} />)}
      {replies.length > 0 && (
        <Fold name={`reply-${id}`} title={<>{replies.length > 1 ? amount(replies.length, 'reply', 'replies') : 'Reply'} of {each.judge || 'the judge'}</>}>
          {() => replies.map((reply, number) => <Text text={reply} label={replies.length > 1 ? `Reply ${number + 1}` : 'Reply'} />)}
        </Fold>
      )}
    </section>
  );
}

const Signed = ({ name, items, sign }: { name: string; items: string[]; sign: string }) =>
  items.length ? (
    <>
      <h3>{name}</h3>
      <ul class={`signed ${name.toLowerCase()}`}>{items.map((item) => <li><span class="sign" aria-hidden="true">{sign}</span> {safeText(item)}</li>)}</ul>
    </>
  ) : null;

/** In how many rows or runs a part passed, and which of them is shown; empty if it passed in all. */
const tally = ({ passes, shown }: Evaluator | Criterion) => (passes ? `passed in ${passes} · shown: ${safeText(shown ?? '')}` : '');

function CriterionPart({ each, actions }: { each: Criterion; actions: Actions }): VNode {
  const points = each.raw === undefined ? decimal(each.score) : `${plain(each.raw)}/10 → ${decimal(each.score)}`;
  const notes = [tally(each), each.minimum !== undefined && `needs ${decimal(each.minimum)}`, each.weight !== 1 && `weight ${plain(each.weight)}`];
  const quoted = [each.text, `"${each.text}"`].includes(each.label);
  return (
    <div class={`criterion ${each.verdict}`}>
      <h3><Sign verdict={each.verdict} /> <span class="unseen">{each.verdict} </span><span class="label"><Place text={each.label} line={each.range?.start.line} actions={actions} /></span> <span class="note">{notes.filter(Boolean).join(' · ')}</span> <span class="points n">{points}</span></h3>
      {!quoted && each.text && <p class="outcome">{safeText(each.text)}</p>}
      <Bands each={each} />
      {each.reasoning && <blockquote>{safeText(each.reasoning)}</blockquote>}
    </div>
  );
}

/** The bands of a criterion over 0..10, with the matching one highlighted. */
function Bands({ each }: { each: Criterion }): VNode | null {
  if (!each.bands.length) return null;
  const bands = [...each.bands].sort((a, b) => a.low - b.low);
  const point = (at: number) => {
    const band = bands.find(({ low, high }) => low <= at && at <= high);
    const classes = [band && 'in', band?.hit && 'hit', band && Math.ceil(band.low) === at && 'first', each.raw === at && 'at'];
    return <span class={classes.filter(Boolean).join(' ')}>{at}</span>;
  };
  return (
    <>
      <div class="scale" aria-hidden="true">{Array.from({ length: 11 }, (_, at) => point(at))}</div>
      <ol class="bands">
        {bands.map(({ low, high, text, hit }) => (
          <li class={hit ? 'hit' : ''}>
            <span class="bounds n">{low === high ? low : `${low}–${high}`}</span>
            <span>{safeText(text)}{hit && <span class="said"> ← the judge gave {each.raw ?? 'this'}</span>}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function Answer({ report }: { report: CaseDetails }): VNode {
  return (
    <>
      {report.answer !== undefined && <section aria-labelledby="answer"><h2 id="answer">Answer</h2><Said text={report.answer} label="Answer" /></section>}
      {report.expectedOutput !== undefined && <Fold name="expected" title="Expected">{() => <Text text={report.expectedOutput ?? ''} label="Expected" />}</Fold>}
    </>
  );
}

/** An answer, rendered or verbatim. */
function Said({ text, label }: { text: string; label: string }): VNode {
  const laidOut = text ? rendered(text) : undefined;
  if (!laidOut) return <Text text={text} label={label} />;
  return (
    <>
      {laidOut}
      <Fold name={`source-${label}`} title="Source">{() => <Text text={text} label={label} />}</Fold>
    </>
  );
}

function Took({ usage }: { usage: Usage[] }): VNode | null {
  if (!usage.length) return null;
  const calls = (each: Usage) => [each.calls ? count(each.calls) : '', each.recorded ? `${count(each.recorded)} recorded` : ''].filter(Boolean).join(', ') || '0';
  const more = ({ tokens }: Usage) => [tokens?.cached ? `${count(tokens.cached)} cached` : '', tokens?.reasoning ? `${count(tokens.reasoning)} reasoning` : ''].filter(Boolean).join(', ');
  return (
    <section aria-labelledby="took">
      <h2 id="took">Tokens and cost</h2>
      <table class="took">
        <thead><tr><th scope="col" class="n">Calls</th><th scope="col" class="n">Read</th><th scope="col" class="n">Written</th><th scope="col" class="n">Cost</th></tr></thead>
        {usage.map((each) => (
          <tbody>
            <tr><th scope="rowgroup" colSpan={4}>{each.role} {safeText(each.name)}{each.model && each.model !== each.name && ` (${safeText(each.model)})`} <span class="note">{more(each)}</span></th></tr>
            <tr>
              <td class="n">{calls(each)}</td>
              <td class="n">{count(each.tokens?.input)}</td>
              <td class="n">{count(each.tokens?.output)}</td>
              <td class="n">{dollars(each.costUsd)}</td>
            </tr>
          </tbody>
        ))}
      </table>
    </section>
  );
}

function Requests({ sent }: { sent: SentRequest[] }): VNode | null {
  if (!sent.length) return null;
  return (
    <section aria-labelledby="sent">
      <h2 id="sent">Prompts that were sent</h2>
      {sent.map((each, index) => (
        <Fold name={`sent-${index}`} title={safeText(each.title)}>
          {() => (
            <>
              {each.before.map((words) => <p class="note">{safeText(words)}</p>)}
              {each.texts.map(({ name, text }) => <><h3>{safeText(name)}</h3><Text text={text} label={name} /></>)}
              {each.after.map((words) => <p class="note">{safeText(words)}</p>)}
            </>
          )}
        </Fold>
      ))}
    </section>
  );
}

function Past({ report }: { report: CaseDetails }): VNode | null {
  if (report.history.length < 2) return null;
  const passed = report.history.filter((run) => run.verdict === 'passed').length;
  return (
    <section aria-labelledby="history">
      <h2 id="history">Last runs</h2>
      <History runs={report.history.slice(-16)} threshold={report.threshold} />
      <p class="note">{passed} of {report.history.length} passed</p>
    </section>
  );
}

function Place({ text, line, actions }: { text: string; line: number | undefined; actions: Actions }): VNode {
  if (line === undefined || !actions.suite) return <>{safeText(text)}</>;
  const show = (event: Event) => {
    event.preventDefault();
    actions.suite?.(line);
  };
  return <a href="#" data-act="suite" data-line={line} data-key={`line-${line}-${text}`} title="Show in suite" onClick={show}>{safeText(text)}</a>;
}

const failedFirst = (a: Evaluator, b: Evaluator) => Number(a.verdict === 'passed') - Number(b.verdict === 'passed');
