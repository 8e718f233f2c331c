import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "#contract/ids.ts";
import type { Branch } from "#contract/endpoints/messages.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { ensureFirstApp, owner } from "#server/apps/first-app.ts";
import { createHistory } from "#server/messages/history.ts";
import { insertMessages, type MessageRow } from "#server/messages/rows.ts";
import { createModelRequests } from "#server/runs/loop/model-requests.ts";
import { historyOf, summaryOf } from "#server/runs/prepare/context-sources.ts";
import type { PreparedModel } from "#server/runs/prepare/prepared-run.ts";
import type { Database } from "#storage/database/database.ts";
import { openDatabase } from "#storage/database/open.ts";
import { threadRow } from "#storage/testing/rows.ts";
import { withFolder } from "../support/services.ts";
import { call, readRun, startParlance, startRun, userWithKey, type User } from "../support/parlance.ts";
import { startProcess } from "../support/process.ts";
import { createTextGenerator } from "#fixtures/random-text.ts";
import { median, type Bench, type Figure } from "../support/report.ts";
import { openStream, readEvents } from "../support/stream.ts";

const messageCount = 1_000;
const factEvery = 10;
const wordsPerMessage = 40;
const contextTokens = 16_000;
const foundMin = 0.9;

const promptMessages = 5_000;
const promptMsMax = 50;

/** What a compacted thread forgets, and what its prompts cost. How good the summaries are cannot be measured without a model. */
export const compaction: Bench = {
  about: `whether the thread tools find what a compacted thread of ${messageCount} messages said, and the time to build a prompt`,
  run: async () => [...(await findFacts()), ...(await buildPrompts())],
};

type Fact = { text: string; question: string };

/** One fact for each pair of a thing and a place. Questions use other words and another order. */
function factsOf(count: number): Fact[] {
  const things = [
    "cabinet",
    "bicycle",
    "violin",
    "ladder",
    "teapot",
    "camera",
    "suitcase",
    "printer",
    "tent",
    "mirror",
  ];
  const places = [
    "Lisbon",
    "Oslo",
    "Cairo",
    "Quito",
    "Seoul",
    "Dublin",
    "Athens",
    "Nairobi",
    "Havana",
    "Warsaw",
  ];
  return Array.from({ length: count }, (_, n) => {
    const thing = things[n % things.length]!;
    const place = places[Math.floor(n / things.length) % places.length]!;
    return {
      text: `By the way, the ${thing} that we bought in ${place} cost ${100 + n * 7} crowns and is kept by Maria.`,
      question: `What did we pay in ${place} for the ${thing}?`,
    };
  });
}

async function findFacts(): Promise<Figure[]> {
  const model = await startProcess([
    "fixtures/model-server/main.ts",
    "--port",
    "0",
    "--context",
    String(contextTokens),
  ]);
  const server = await startParlance({ OPENAI_BASE_URL: `${model.url}/v1`, OPENAI_MODEL: "fixture-1" });
  try {
    const user = userWithKey(server.url, "compaction");
    const facts = factsOf(messageCount / factEvery);
    const thread = await importThread(user, facts);
    const end = await ask(user, thread.id, thread.lastId, "And so we go on. tokens=3");
    const startedMs = performance.now();
    const covered = await waitForSummary(user, thread.id);
    console.log(`  ${covered} messages were compacted in ${Math.round(performance.now() - startedMs)} ms`);
    const ranks: number[] = [];
    for (const [n, { question }] of facts.entries()) {
      const asked = await ask(
        user,
        thread.id,
        end.replyId,
        `${question} tool=search_threads(${JSON.stringify({ query: question })})`,
      );
      ranks.push(rankIn(asked.events, thread.factIds[n]!));
      // So that later searches do not find this question and its answer.
      const body = { message_ids: [asked.messageId] };
      await call(user, "DELETE", `/v1/threads/${thread.id}/messages?descendants=true`, body);
    }
    const found = ranks.filter((rank) => rank <= 5).length / ranks.length;
    return [
      {
        what: `facts found among the first five passages, of ${ranks.length} in a thread compacted to ${messageCount - covered} messages and a summary`,
        unit: "%",
        ours: found * 100,
        aim: `at least ${foundMin * 100} %`,
        met: found >= foundMin,
      },
      {
        what: "facts found first",
        unit: "%",
        ours: (ranks.filter((rank) => rank === 1).length / ranks.length) * 100,
      },
    ];
  } finally {
    await server.stop();
    await model.stop();
  }
}

async function importThread(user: User, facts: readonly Fact[]) {
  const generator = createTextGenerator();
  const id = newId("thread");
  const factIds: string[] = [];
  let parentId: string | null = null;
  const messages = Array.from({ length: messageCount }, (_, n) => {
    const fact = n % factEvery === 0 ? facts[n / factEvery]! : undefined;
    const words = generator.text(wordsPerMessage);
    const text = fact === undefined ? words : `${words}. ${fact.text} ${generator.text(10)}`;
    const role = n % 2 === 0 ? "user" : "assistant";
    const message = {
      id: newId("message"),
      parent_id: parentId,
      role,
      format: "aui/v0",
      created_at: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
      content: { role, content: [{ type: "text", text }] },
    };
    parentId = message.id;
    if (fact !== undefined) factIds.push(message.id);
    return message;
  });
  const body = { format: "parlance-thread", version: 1, thread: { id, title: "Long" }, messages };
  const stream = await openStream(`${user.url}/v1/import`, {
    method: "POST",
    headers: user.headers,
    body: JSON.stringify(body),
  });
  await readEvents(stream, () => {});
  return { id, factIds, lastId: messages.at(-1)!.id };
}

async function ask(user: User, threadId: string, parentId: string, text: string) {
  const { runId, messageId, replyId } = await startRun(user, text, { threadId, parentId });
  const events: RunEvent[] = [];
  await readRun(user, runId, (event) => events.push(event));
  return { replyId, messageId, events };
}

/** Waits until the thread has been compacted as far as it is. Returns how many messages its summary covers. */
async function waitForSummary(user: User, threadId: string): Promise<number> {
  let before = -1;
  for (;;) {
    await sleep(1_000);
    const { summary } = await call<Branch>(user, "GET", `/v1/threads/${threadId}/branch?limit=1`);
    const covered = summary?.message_count ?? 0;
    if (covered > 0 && covered === before) return covered;
    before = covered;
  }
}

/** The place of the message among the passages that the tool returned, from 1. */
function rankIn(events: readonly RunEvent[], messageId: string): number {
  const result = events.find((event) => event.type === "tool-call-result");
  const { passages } = (result?.type === "tool-call-result" ? result.result : {}) as {
    passages?: { message_id: string }[];
  };
  const at = (passages ?? []).findIndex((passage) => passage.message_id === messageId);
  return at === -1 ? Infinity : at + 1;
}

/** The time from the database to the first request, in a thread without a summary and in one with it. */
async function buildPrompts(): Promise<Figure[]> {
  return await withFolder(async (dataDir) => {
    const db = await openDatabase({ dataDir });
    try {
      await ensureFirstApp(db, Date.now());
      const { threadId, ids } = await storeLongThread(db);
      const whole = await timePrompts(db, threadId, ids.at(-1)!);
      await db.write(
        async (tx) =>
          await tx.q
            .insertInto("summaries")
            .values({
              message_id: ids.at(-202)!,
              thread_id: threadId,
              text: "Much was said. ".repeat(100),
              model: "m",
              is_edited: 0,
              pending_until: null,
              removed_at: null,
              created_at: 0,
              updated_at: 0,
            })
            .execute(),
      );
      const compacted = await timePrompts(db, threadId, ids.at(-1)!);
      const aim = `at most ${promptMsMax} ms`;
      return [
        {
          what: `a prompt from ${promptMessages} messages with a summary, median`,
          unit: "ms",
          ours: compacted,
          aim,
          met: compacted <= promptMsMax,
        },
        {
          what: `a prompt from ${promptMessages} messages without a summary, median`,
          unit: "ms",
          ours: whole,
          aim,
          met: whole <= promptMsMax,
        },
      ];
    } finally {
      await db.close();
    }
  });
}

async function storeLongThread(db: Database): Promise<{ threadId: string; ids: string[] }> {
  const generator = createTextGenerator();
  const nowMs = Date.now();
  const thread = threadRow({ app_id: owner.appId, workspace_id: owner.workspaceId }, nowMs);
  const rows = Array.from({ length: promptMessages }, (_, height): MessageRow => {
    const text = generator.text(wordsPerMessage);
    const role = height % 2 === 0 ? "user" : "assistant";
    const content = { role, content: [{ type: "text", text }], metadata: { custom: {} } };
    return {
      id: newId("message", nowMs + height),
      thread_id: thread.id,
      external_id: null,
      parent_id: null,
      height,
      role,
      format: "aui/v0",
      content: JSON.stringify(content),
      plain_text: text,
      status: "complete",
      status_reason: null,
      error_code: null,
      run_id: null,
      made_by: null,
      created_by: null,
      is_pinned: 0,
      created_at: nowMs + height,
      updated_at: nowMs,
    };
  });
  for (const [height, row] of rows.entries()) row.parent_id = rows[height - 1]?.id ?? null;
  await db.write(async (tx) => {
    await tx.q.insertInto("threads").values(thread).execute();
    await insertMessages(tx, rows);
  });
  return { threadId: thread.id, ids: rows.map(({ id }) => id) };
}

async function timePrompts(db: Database, threadId: string, headId: string): Promise<number> {
  const { summarized } = createHistory({ db });
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    const fromMs = performance.now();
    const branch = await summarized(threadId, headId);
    const requests = await createModelRequests(
      {
        model: {
          info: { id: "m", name: "m", provider: "p", provider_name: "P" },
          facts: async () => ({ reads: [], contextTokens: 128_000 }),
          stream: async function* () {},
        } as unknown as PreparedModel,
        findFallback: async () => undefined,
        system: "Be brief.",
        settings: {},
        messages: historyOf({ branch }),
        summary: summaryOf(branch),
        isCut: branch.isCut,
        forbiddenTools: [],
        unavailableTools: [],
        tools: [],
        callerTools: [],
        context: { workspaceId: owner.workspaceId, threadId, timeZone: "UTC" },
        managesModels: false,
        partsBefore: [],
        stepEnds: [],
        remoteTools: [],
        readRules: async () => {
          throw new Error("no tool is called");
        },
        listStrangers: async () => [],
        stepsMax: 1,
        approved: [],
      },
      [],
    );
    JSON.stringify(requests.next().request.messages);
    times.push(performance.now() - fromMs);
  }
  return median(times);
}
