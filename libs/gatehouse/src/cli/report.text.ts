import type { EvidencePlace, VerifyReport } from '../audit/verify/verify.report.js';

const SHOWN = 20;

/** A report for a person: the verdict first, then why, then what was not looked at. */
export function reportLines(report: VerifyReport): readonly string[] {
  const { log, counts } = report;
  return [
    VERDICTS[report.outcome],
    `Log '${log.origin}', ${log.size} batches under ${counts.checkpoints} checkpoints, root ${log.root}.`,
    `Looked at ${counts.records} records, ${counts.payloads} payloads (${counts.erased} erased), as of ${report.at}.`,
    report.tailPinned
      ? `Pinned: a copy outside the database vouches for ${log.pinnedSize} batches.`
      : 'Not pinned: the newest records could have been cut off unseen.',
    ...report.faults.slice(0, SHOWN).map(({ message, place, columns, certainty }) => {
      const which = columns ? ` Column ${columns.join(', ')}${certainty === 'proven' ? ', proven' : ''}.` : '';
      return `! ${message}${which} ${placeText(place)}`;
    }),
    ...more(counts.faults, 'places that were changed'),
    ...report.shortfalls.slice(0, SHOWN).map(({ message, place }) => `- ${message} ${placeText(place)}`),
    ...more(counts.shortfalls, 'things that are missing'),
    ...report.unchecked.map((what) => `Not checked: ${what}.`),
  ];
}

const VERDICTS: Readonly<Record<VerifyReport['outcome'], string>> = {
  ok: 'OK: what is stored is what was sealed.',
  tampered: 'TAMPERED: what is stored is not what was sealed.',
  incomplete: 'INCOMPLETE: nothing was changed, but not all is there or pinned.',
  untrusted: 'UNTRUSTED: no key you trust signed it, or not to its end.',
};

const more = (count: number, what: string): readonly string[] =>
  count > SHOWN ? [`… and ${count - SHOWN} more ${what}; --json has the first 100.`] : [];

function placeText(place: EvidencePlace): string {
  const parts = Object.entries(place).map(([name, value]) => `${name} ${String(value)}`);
  return parts.length > 0 ? `[${parts.join(', ')}]` : '';
}
