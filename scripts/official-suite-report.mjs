// Reads what the official suite left behind and holds it to the list of expected failures.
//
//   node official-suite-report.mjs SUITE RESULTS EXPECTED URL [--write-expected] REVISION...
//
// SUITE is the installed package, RESULTS has a folder per revision with `log.txt` and `checks/`. A check id may occur
// several times in a scenario; the check failed when one of its occurrences did. Called by scripts/official-suite.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const args = process.argv.slice(2);
const writeExpected = args.includes('--write-expected');
const [suite, results, expectedFile, url, ...revisions] = args.filter((arg) => arg !== '--write-expected');
const { parse: parseYaml } = createRequire(join(suite, 'package.json'))('yaml');

// With --write-expected, standard output is for the entries alone.
const say = writeExpected ? console.error : console.log;

const expected = readExpected(expectedFile);
const total = { scenarios: 0, passed: 0, known: 0, unlisted: 0, stale: 0, missing: 0, warnings: 0, skipped: 0 };
const entries = [];

for (const revision of revisions) {
  const wanted = readRequirements(revision);
  say(`official suite, requirements ${revision}, ${wanted.length} scenarios, ${url}`);
  const log = readFileSync(join(results, revision, 'log.txt'), 'utf8');
  if (wanted.length === 0) {
    total.missing += 1;
    say(`ERROR ${revision}: the suite requires no scenario of a server`);
  }
  for (const { scenario, scored } of wanted) {
    total.scenarios += 1;
    report(revision, scenario, scored, readChecks(revision, scenario), log);
  }
  for (const entry of expected.filter((entry) => entry.revision === revision && !entry.scenarioRan)) {
    stale(entry, 'the suite has no such scenario, or it did not run');
  }
}

if (writeExpected) for (const line of entries) console.log(line);
const failed = total.unlisted + total.stale + total.missing;
say(
  `${total.scenarios} scenarios: ${total.known} checks failed as listed, ${total.unlisted} failed unlisted, ` +
    `${total.stale} listed but did not fail, ${total.missing} scenarios did not run, ${total.warnings} warnings`,
);
say(`${total.passed} passed, ${failed} failed, ${total.skipped} skipped`);
process.exit((writeExpected ? total.missing : failed) > 0 ? 1 : 0);

/** Prints one scenario, and counts it. */
function report(revision, scenario, scored, checks, log) {
  const name = `${revision} ${scenario}${scored ? '' : ' (not scored)'}`;
  const listed = expected.filter((entry) => entry.revision === revision && entry.scenario === scenario);
  if (!checks || checks.length === 0) {
    total.missing += 1;
    const why = checks ? 'it made no check' : (thrown(log, scenario) ?? 'it left no result, see the log');
    say(`ERROR ${name}: did not run: ${why}`);
    return;
  }
  // A scenario that says no more than that it does not apply was skipped.
  const judged = checks.some((check) => check.status !== 'INFO')
    ? checks.filter((check) => check.status !== 'INFO')
    : checks.map((check) => ({ ...check, status: 'SKIPPED' }));

  const of = (status) => judged.filter((check) => check.status === status);
  const failures = new Map(of('FAILURE').map((check) => [check.id, check]));
  const known = listed.filter((entry) => failures.has(entry.check));
  const unlisted = [...failures.values()].filter((check) => !listed.some((entry) => entry.check === check.id));
  const notFailed = listed.filter((entry) => !failures.has(entry.check));
  const strange = judged.filter((check) => !['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED'].includes(check.status));

  total.passed += of('SUCCESS').length;
  total.known += known.length;
  total.unlisted += unlisted.length + strange.length;
  total.warnings += of('WARNING').length;
  total.skipped += of('SKIPPED').length;

  const word =
    unlisted.length + notFailed.length + strange.length > 0 ? 'FAIL '
    : known.length > 0 ? 'known'
    : of('SUCCESS').length > 0 ? 'ok   '
    : of('WARNING').length > 0 ? 'warn '
    : 'skip ';
  const counts = [
    [of('SUCCESS').length, 'passed'],
    [known.length, 'failed as listed'],
    [unlisted.length, 'failed'],
    [of('WARNING').length, 'warned'],
    [of('SKIPPED').length, 'skipped'],
  ].filter(([count]) => count > 0);
  say(`${word} ${name}: ${counts.map(([count, what]) => `${count} ${what}`).join(', ')}`);
  for (const check of unlisted) say(`        failed, not listed: ${check.id}: ${because(check)}`);
  for (const check of strange) say(`        unknown status ${check.status}: ${check.id}`);
  for (const line of new Set(of('WARNING').map((check) => `warning: ${check.id}: ${because(check)}`))) say(`        ${line}`);
  for (const line of new Set(of('SKIPPED').map((check) => `skipped: ${check.id}: ${because(check)}`))) say(`        ${line}`);
  for (const entry of listed) entry.scenarioRan = true;
  for (const entry of notFailed) {
    const statuses = judged.filter((check) => check.id === entry.check).map((check) => check.status.toLowerCase());
    stale(entry, statuses.length > 0 ? `its outcome: ${[...new Set(statuses)].join(', ')}` : 'the scenario made no such check');
  }
  for (const check of failures.values()) {
    const reason = listed.find((entry) => entry.check === check.id)?.reason ?? because(check);
    entries.push(`${revision} ${scenario}:${check.id}  # ${reason}`);
  }
}

function stale(entry, why) {
  total.stale += 1;
  say(`        listed in line ${entry.line}, but did not fail: ${entry.revision} ${entry.scenario}:${entry.check} (${why})`);
}

/** What a check says of itself, on one line. */
function because(check) {
  const text = (check.errorMessage ?? check.details?.reason ?? check.description ?? '').toString();
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

/** The line in which the suite's log says that a scenario threw, if it did. */
function thrown(log, scenario) {
  return log.split('\n').find((line) => line.startsWith(`Failed to run scenario ${scenario}:`));
}

/** The server scenarios of a revision, in the suite's order. */
function readRequirements(revision) {
  const file = join(suite, 'requirements', `${revision}.yaml`);
  const { server = [], not_scored: others = [] } = parseYaml(readFileSync(file, 'utf8'));
  return [
    ...server.map((scenario) => ({ scenario, scored: true })),
    ...others.filter((entry) => entry.leg === 'server').map(({ scenario }) => ({ scenario, scored: false })),
  ];
}

/** The checks of a scenario, or nothing when it did not come to an end. */
function readChecks(revision, scenario) {
  const folder = join(results, revision, 'checks');
  if (!existsSync(folder)) return undefined;
  // A folder is called server-SCENARIO-TIME; no scenario's name ends in a time.
  const run = readdirSync(folder).find((name) => name.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '') === `server-${scenario}`);
  const file = run && join(folder, run, 'checks.json');
  return file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** The list of expected failures; an entry without a reason, or one that is there twice, is an error. */
function readExpected(file) {
  const list = [];
  readFileSync(file, 'utf8').split('\n').forEach((text, index) => {
    if (text.trim() === '' || text.startsWith('#')) return;
    const match = /^(\d{4}-\d\d-\d\d)\s+([^\s:]+):(\S+)\s+#\s*(\S.*)$/.exec(text.trimEnd());
    if (!match) misuse(`${file}:${index + 1}: not of the form \`REVISION scenario:check-id  # reason\`: ${text}`);
    const [, revision, scenario, check, reason] = match;
    if (list.some((entry) => entry.revision === revision && entry.scenario === scenario && entry.check === check)) {
      misuse(`${file}:${index + 1}: listed twice: ${revision} ${scenario}:${check}`);
    }
    list.push({ line: index + 1, revision, scenario, check, reason });
  });
  return list;
}

function misuse(message) {
  console.error(`official-suite: ${message}`);
  process.exit(2);
}
