import type { LanguageTag } from "#contract/i18n/languages.ts";
import type { Visitor } from "../lib/route.ts";

/** What a job of each kind needs to know: ids, but no texts of people. */
export type Payloads = {
  /** A title for the thread of a run that has ended. */
  title: { runId: string };
  /** A title for a thread whose messages a client of the protocol stores. */
  "client-title": { visitor: Visitor; threadId: string };
  /** A summary of the oldest messages of the thread of a run that has ended. */
  compaction: { runId: string };
  /** The text of scanned pages. */
  recognition: { fileId: string; workspaceId: string };
  /** A link to set a new password, if the job has a user. */
  "reset-mail": { language: LanguageTag; address: string; webUrl: string };
  /** An announcement that the operator exported what the job's user has. */
  "export-mail": null;
  /** What is due of a webhook. */
  webhook: { webhookId: string };
  /** The alert rules that are due. */
  alerts: null;
  /** The backup that is due. */
  backup: null;
  /** The deletion of all that is too old. */
  sweep: null;
};

export type Kind = keyof Payloads;

type Rules = {
  /** How many each process does at a time. */
  atOnce: number;
  /** Whether a process does one of each workspace at a time, so that none waits for a large import of another. */
  isOnePerWorkspace?: true;
  /** The pauses after failures and after processes that died. After the last one, the job is given up. */
  retryMs: readonly number[];
  /** The job is repeated after this time, and never given up. */
  everyMs?: number;
};

/** For work that fails only if the database does. */
const retryMs = [10_000, 60_000, 10 * 60_000];

/** Every kind of job. */
export const kinds: Record<Kind, Rules> = {
  title: { atOnce: 64, retryMs },
  "client-title": { atOnce: 8, isOnePerWorkspace: true, retryMs },
  compaction: { atOnce: 64, retryMs: [] },
  recognition: { atOnce: 1, retryMs },
  "reset-mail": { atOnce: 8, retryMs },
  "export-mail": { atOnce: 1, retryMs },
  // The deliveries have their own retries.
  webhook: { atOnce: 32, retryMs },
  // They stay due.
  alerts: { atOnce: 1, retryMs: [] },
  // It stores its failures and when it is due again. These pauses are for failures of the database.
  backup: { atOnce: 1, retryMs },
  sweep: { atOnce: 1, retryMs: [], everyMs: 10 * 60_000 },
};
