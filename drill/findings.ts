import { emptyReply, fold } from "#contract/fold.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { readAfter } from "#storage/log/log.ts";
import type { LogEntry } from "#storage/lib/log-entry.ts";
import { unpackRow } from "#storage/lib/packed-content.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import type { LeaseClients, LeasedAnswer } from "./lease-clients.ts";
import type { Observations, RunRequest } from "./run-client.ts";

/** What a drill found. Every count in `losses` must be zero. */
export type Findings = {
  losses: {
    "acknowledged messages lost": number;
    "messages duplicated": number;
    "seen events lost or changed": number;
    "events out of order": number;
    "runs left running": number;
    "answers that differ from their log": number;
    "answers without text that a reader saw": number;
    "interrupted answers that cannot be continued": number;
    "run states that changed after a stop": number;
    "clients' checkpoints lost": number;
    "clients' leases left open": number;
    "later reads that differ": number;
    "wrong responses": number;
    "servers that crashed": number;
  };
  counts: {
    acknowledged: number;
    "events seen": number;
    complete: number;
    interrupted: number;
    failed: number;
    stopped: number;
    continued: number;
    "stored by clients": number;
    "handed over to another process": number;
    "connections lost": number;
    "refused because the disk was full": number;
  };
};

export function emptyFindings(): Findings {
  return {
    losses: {
      "acknowledged messages lost": 0,
      "messages duplicated": 0,
      "seen events lost or changed": 0,
      "events out of order": 0,
      "runs left running": 0,
      "answers that differ from their log": 0,
      "answers without text that a reader saw": 0,
      "interrupted answers that cannot be continued": 0,
      "run states that changed after a stop": 0,
      "clients' checkpoints lost": 0,
      "clients' leases left open": 0,
      "later reads that differ": 0,
      "wrong responses": 0,
      "servers that crashed": 0,
    },
    counts: {
      acknowledged: 0,
      "events seen": 0,
      complete: 0,
      interrupted: 0,
      failed: 0,
      stopped: 0,
      continued: 0,
      "stored by clients": 0,
      "handed over to another process": 0,
      "connections lost": 0,
      "refused because the disk was full": 0,
    },
  };
}

/** Compares what the users received with the database. No server may be running. */
export async function compareWithDatabase(
  observed: Observations,
  leased: Pick<LeaseClients, "answers" | "violations">,
  databaseOptions: { dataDir: string; databaseUrl?: string },
  findings: Findings,
): Promise<void> {
  const { losses, counts } = findings;
  losses["wrong responses"] += observed.violations.length + leased.violations.length;
  losses["events out of order"] += observed.outOfOrder;
  counts["connections lost"] += observed.connectionsLost;
  counts["refused because the disk was full"] += observed.refusedForFullDisk;
  const db = await openDatabase(databaseOptions);
  try {
    losses["runs left running"] += await countRunning(db);
    losses["messages duplicated"] += Math.abs(
      (await countMessages(db)) - 2 * observed.requests.filter((request) => request.text !== "").length,
    );
    for (const request of observed.requests) await compareRun(db, request, observed, findings);
    for (const answer of leased.answers) await compareLeased(db, answer, findings);
  } finally {
    await db.close();
  }
}

async function compareRun(
  db: Database,
  request: RunRequest,
  observed: Observations,
  { losses, counts }: Findings,
): Promise<void> {
  if (!request.acknowledged) return;
  counts.acknowledged += 1;
  const log = (await readLog(db, request.runId)).map(({ body }) => body);
  for (const seen of request.readers) {
    counts["events seen"] += seen.length;
    losses["seen events lost or changed"] += seen.filter((body, index) => body !== log[index]).length;
  }
  const run = await db.read.selectFrom("runs").selectAll().where("id", "=", request.runId).executeTakeFirst();
  const stored = await db.read
    .selectFrom("messages")
    .selectAll()
    .where("id", "in", [request.messageId, request.replyId])
    .execute();
  const messages = stored.map(unpackRow);
  const question = messages.find(({ id }) => id === request.messageId);
  const reply = messages.find(({ id }) => id === request.replyId);
  if (
    run === undefined ||
    reply === undefined ||
    question?.content.includes(JSON.stringify(request.text).slice(1, -1)) !== true
  ) {
    losses["acknowledged messages lost"] += 1;
    return;
  }
  if (run.state === "completed") counts.complete += 1;
  else if (run.state === "failed") counts.failed += 1;
  else if (run.state === "interrupted") counts.interrupted += 1;
  else if (run.state === "cancelled") counts.stopped += 1;
  if (request.text === "") counts.continued += 1;
  // This event also follows an approval, but no tool in the drills needs one.
  if (log.some((body) => body.includes('"type":"run-resume"'))) counts["handed over to another process"] += 1;
  if (request.stoppedAs !== undefined && request.stoppedAs !== run.state)
    losses["run states that changed after a stop"] += 1;

  const replyParts = partsOf(reply.content);
  const seenTexts = request.readers
    .map((seen) => textOf(foldOf(seen)))
    .toSorted((a, b) => b.length - a.length);
  if (!textOf(replyParts).startsWith(seenTexts[0] ?? ""))
    losses["answers without text that a reader saw"] += 1;
  // If another run has continued the reply, it belongs to that run.
  if (reply.run_id !== request.runId) return;
  if (JSON.stringify(replyParts) !== JSON.stringify(foldOf(log)))
    losses["answers that differ from their log"] += 1;
  const isContinuable = reply.status === "incomplete" && run.ended_at !== null;
  const isComplete = reply.status === "complete" && run.state === "completed";
  if (!isContinuable && !isComplete) losses["interrupted answers that cannot be continued"] += 1;
}

async function compareLeased(
  db: Database,
  { threadId, externalId, acknowledged, sent, isEnded }: LeasedAnswer,
  { losses, counts }: Findings,
): Promise<void> {
  const stored = await db.read
    .selectFrom("messages")
    .leftJoin("client_leases", "client_leases.message_id", "messages.id")
    .select(["content", "plain_text", "ended_at"])
    .where("messages.thread_id", "=", threadId)
    .where("external_id", "=", externalId)
    .execute();
  counts["stored by clients"] += stored.length;
  losses["messages duplicated"] += Math.max(0, stored.length - 1);
  // One that was sent and not acknowledged may be stored too.
  const [text] = stored.map((row) => textOf(partsOf(unpackRow(row).content)));
  if (acknowledged !== undefined && text !== acknowledged && text !== sent)
    losses["clients' checkpoints lost"] += 1;
  if (isEnded && stored.some((row) => row.ended_at === null)) losses["clients' leases left open"] += 1;
}

function foldOf(bodies: string[]): readonly unknown[] {
  return bodies.length === 0
    ? emptyReply.parts
    : fold(bodies.map((body) => JSON.parse(body) as RunEvent)).parts;
}

function partsOf(content: string): unknown[] {
  return (JSON.parse(content) as { content?: unknown[] }).content ?? [];
}

function textOf(parts: readonly unknown[]): string {
  return (parts as { type: string; text?: string }[])
    .map((part) => (part.type === "text" ? (part.text ?? "") : ""))
    .join("");
}

async function readLog(db: Database, runId: string): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (;;) {
    const page = await readAfter(db, `run:${runId}`, entries.length, 1_000);
    if (page.entries.length === 0) return entries;
    entries.push(...page.entries);
  }
}

async function countRunning(db: Database): Promise<number> {
  const running = await db.read.selectFrom("runs").select("id").where("ended_at", "is", null).execute();
  return running.length;
}

async function countMessages(db: Database): Promise<number> {
  const { count } = await db.read
    .selectFrom("messages")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    // Those of the clients that write with a lease have one.
    .where("external_id", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}
