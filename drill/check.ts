import { emptyReply, fold } from "#contract/fold.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { readAfter } from "#storage/log/log.ts";
import type { LogEntry } from "#storage/log-entry.ts";
import { unpackRow } from "#storage/packed-content.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import type { Ask, Story } from "./people.ts";

/** What was found; every one of `losses` is to be zero. */
export type Findings = {
  losses: {
    "acknowledged messages lost": number;
    "messages made twice": number;
    "seen events lost or changed": number;
    "events out of order": number;
    "runs left running": number;
    "answers that are not what their log says": number;
    "answers without what was seen of them": number;
    "broken answers that cannot be continued": number;
    "ends that a stop answered with and that changed": number;
    "later readers told otherwise": number;
    "requests answered wrongly": number;
    "servers that died by themselves": number;
  };
  counts: {
    acknowledged: number;
    "events seen": number;
    complete: number;
    interrupted: number;
    failed: number;
    stopped: number;
    continued: number;
    "handed over": number;
    "connections lost": number;
    "refused for a full disk": number;
  };
};

export function noFindings(): Findings {
  return {
    losses: {
      "acknowledged messages lost": 0,
      "messages made twice": 0,
      "seen events lost or changed": 0,
      "events out of order": 0,
      "runs left running": 0,
      "answers that are not what their log says": 0,
      "answers without what was seen of them": 0,
      "broken answers that cannot be continued": 0,
      "ends that a stop answered with and that changed": 0,
      "later readers told otherwise": 0,
      "requests answered wrongly": 0,
      "servers that died by themselves": 0,
    },
    counts: {
      acknowledged: 0,
      "events seen": 0,
      complete: 0,
      interrupted: 0,
      failed: 0,
      stopped: 0,
      continued: 0,
      "handed over": 0,
      "connections lost": 0,
      "refused for a full disk": 0,
    },
  };
}

/** Compares what people received with the database of `place`, after every server has ended. */
export async function compare(
  story: Story,
  place: { dataDir: string; databaseUrl?: string },
  found: Findings,
): Promise<void> {
  const { losses, counts } = found;
  losses["requests answered wrongly"] += story.mistakes.length;
  losses["events out of order"] += story.outOfOrder;
  counts["connections lost"] += story.connectionsLost;
  counts["refused for a full disk"] += story.refusedForRoom;
  const db = await openDatabase(place);
  try {
    losses["runs left running"] += await countRunning(db);
    losses["messages made twice"] += Math.abs(
      (await countMessages(db)) - 2 * story.asks.filter((ask) => ask.words !== "").length,
    );
    for (const ask of story.asks) await compareOne(db, ask, story, found);
  } finally {
    await db.close();
  }
}

async function compareOne(db: Database, ask: Ask, story: Story, { losses, counts }: Findings): Promise<void> {
  if (!ask.acknowledged) return;
  counts.acknowledged += 1;
  const log = (await wholeLog(db, ask.runId)).map(({ body }) => body);
  for (const seen of ask.readers) {
    counts["events seen"] += seen.length;
    losses["seen events lost or changed"] += seen.filter((body, index) => body !== log[index]).length;
  }
  const run = await db.read.selectFrom("runs").selectAll().where("id", "=", ask.runId).executeTakeFirst();
  const stored = await db.read
    .selectFrom("messages")
    .selectAll()
    .where("id", "in", [ask.messageId, ask.replyId])
    .execute();
  const messages = stored.map(unpackRow);
  const question = messages.find(({ id }) => id === ask.messageId);
  const reply = messages.find(({ id }) => id === ask.replyId);
  if (
    run === undefined ||
    reply === undefined ||
    question?.content.includes(JSON.stringify(ask.words).slice(1, -1)) !== true
  ) {
    losses["acknowledged messages lost"] += 1;
    return;
  }
  if (run.state === "completed") counts.complete += 1;
  else if (run.state === "failed") counts.failed += 1;
  else if (run.state === "interrupted") counts.interrupted += 1;
  else if (run.state === "cancelled") counts.stopped += 1;
  if (ask.words === "") counts.continued += 1;
  // No tool of the drills waits for a person, which has the same event.
  if (log.some((body) => body.includes('"type":"run-resume"'))) counts["handed over"] += 1;
  if (ask.stoppedAs !== undefined && ask.stoppedAs !== run.state)
    losses["ends that a stop answered with and that changed"] += 1;

  const said = partsOf(reply.content);
  const seenWords = ask.readers.map((seen) => textOf(foldOf(seen))).toSorted((a, b) => b.length - a.length);
  if (!textOf(said).startsWith(seenWords[0] ?? "")) losses["answers without what was seen of them"] += 1;
  // Another run may have continued it since. Then the reply belongs to that run.
  if (reply.run_id !== ask.runId) return;
  if (JSON.stringify(said) !== JSON.stringify(foldOf(log)))
    losses["answers that are not what their log says"] += 1;
  const isContinuable = reply.status === "incomplete" && run.ended_at !== null;
  const isComplete = reply.status === "complete" && run.state === "completed";
  if (!isContinuable && !isComplete) losses["broken answers that cannot be continued"] += 1;
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

async function wholeLog(db: Database, runId: string): Promise<LogEntry[]> {
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
    .executeTakeFirstOrThrow();
  return count;
}
