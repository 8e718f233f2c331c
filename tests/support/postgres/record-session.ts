import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import { startModelServer } from "#fixtures/model-server/model-server.ts";
import { startServer } from "#server/app/compose.ts";
import { createLogger } from "#server/lib/logger.ts";
import { readConfig } from "#server/settings/settings.ts";
import type { Session, Statement } from "./old-session.ts";

/**
 * Records the statements with which this version reads and writes a PostgreSQL database, for `tests/cli/upgrade.test.ts`:
 *
 *     DATABASE_URL=postgres://…/empty node scripts/run.mjs node tests/support/postgres/record-session.ts FIXTURE
 *
 * `FIXTURE` is a folder in `storage/migrations/fixtures`, whose migrations are this version's. It gets `session.json.gz`.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const [fixture] = positionals;
const databaseUrl = process.env.DATABASE_URL;
if (fixture === undefined || databaseUrl === undefined)
  throw new Error("Name the fixture's folder, and an empty database in DATABASE_URL.");

const session: Session = [];
await loadFixture();
await runServer();
await writeFile(join(fixture, "session.json.gz"), gzipSync(JSON.stringify(session), { level: 9 }));
console.log(`${session.length} transactions, ${session.flat().length} statements`);

async function loadFixture(): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(gunzipSync(await readFile(join(fixture!, "postgres.sql.gz"))).toString());
  await client.end();
}

/** Adds each committed transaction to `session`. */
function recordStatements(): () => void {
  const open = new WeakMap<pg.Client, Statement[]>();
  const original = pg.Client.prototype.query;
  const record = (client: pg.Client, text: string, values: unknown[], rowCount: number | null): void => {
    const word = /^\w+/.exec(text)?.[0].toLowerCase();
    if (word === "begin" || word === "start") open.set(client, []);
    else if (word === "commit") session.push(open.get(client) ?? []);
    if (word === "commit" || word === "rollback") open.delete(client);
    if (["begin", "start", "commit", "rollback", "listen", "set"].includes(word ?? "")) return;
    const statement: Statement = [text, values, rowCount];
    const transaction = open.get(client);
    if (transaction === undefined) session.push([statement]);
    else transaction.push(statement);
  };
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
    const result: unknown = original.apply(this, args as never);
    const [statement, values] = args;
    // A prepared statement has a name too.
    const text = typeof statement === "string" ? statement : (statement as { text?: unknown }).text;
    if (result instanceof Promise && typeof text === "string")
      void result.then(
        ({ rowCount }: pg.QueryResult) => record(this, text, (values as unknown[]) ?? [], rowCount),
        () => undefined,
      );
    return result;
  } as typeof original;
  return () => void (pg.Client.prototype.query = original);
}

/** Ada writes, reads, changes and deletes. */
async function runServer(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "parlance-session-"));
  const model = await startModelServer();
  const config = readConfig(dataDir, {
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl!,
    OLLAMA_URL: "off",
    OPENAI_BASE_URL: model.url,
    OPENAI_MODEL: "fixture-1",
    PARLANCE_API_KEY: apiKey,
    PARLANCE_SECRET: "7d1f0b6c3a9e58424c0de1f7b2a6935d",
  });
  const server = await startServer(config, { logger: createLogger("error"), root: dataDir });
  const stopRecording = recordStatements();
  try {
    await writeAndRead(`http://127.0.0.1:${server.port}`);
  } finally {
    stopRecording();
    await server.close();
    await model.close();
    await rm(dataDir, { recursive: true });
  }
}

async function writeAndRead(url: string): Promise<void> {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    "Aui-User-Id": "ada",
    "Aui-Workspace-Id": "org_ada",
    "Content-Type": "application/json",
  };
  const call = async (method: string, path: string, body?: unknown): Promise<string> => {
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  };
  const ask = async (threadId: string, parentId: string | null, text: string) =>
    JSON.parse(
      await call("POST", `/v1/threads/${threadId}/runs`, {
        message: { parent_id: parentId, content: userMessage(text), queue: true },
      }),
    ) as { run_id: string };
  const lastOf = async (threadId: string): Promise<string> => {
    const { messages } = JSON.parse(await call("GET", `/v1/threads/${threadId}/branch`)) as {
      messages: { id: string }[];
    };
    return messages.at(-1)!.id;
  };

  const { threads } = JSON.parse(await call("GET", "/v1/threads")) as {
    threads: { id: string; title: string }[];
  };
  const garden = threads.find(({ title }) => title === "The garden")!.id;
  const first = await ask(garden, await lastOf(garden), "Water the beans. tokens=40 gap=20");
  const reply = await lastOf(garden);
  await ask(garden, reply, "And the peas? tokens=2");
  await call("GET", `/v1/runs/${first.run_id}/events`);
  const thread = newId("thread");
  const started = await ask(thread, null, "A shed for the tools tokens=5");
  await call("GET", `/v1/runs/${started.run_id}/events`);
  await call("PUT", `/v1/threads/${thread}`, { title: "The shed", metadata: { color: "green" } });
  const { message_id } = JSON.parse(
    await call("POST", `/v1/threads/${thread}/messages`, {
      parent_id: await lastOf(thread),
      format: "aui/v0",
      content: { role: "user", content: [{ type: "text", text: "Paint it." }], metadata: { custom: {} } },
    }),
  ) as { message_id: string };
  await call("POST", "/v1/runs", {
    thread_id: thread,
    status: "completed",
    total_steps: 1,
    output_text: "Painted.",
    model_id: "fixture-1",
  });
  await call("GET", "/v1/search?q=beans");
  await call("GET", "/v1/files");
  await call("GET", `/v1/threads/${thread}/messages`);
  await call("DELETE", `/v1/threads/${thread}/messages`, { message_ids: [message_id] });
  await call("DELETE", `/v1/threads/${thread}`);
  await call("POST", `/v1/threads/${thread}/restore`);
  await call("DELETE", `/v1/threads/${thread}`);
  await call("DELETE", `/v1/trash/${thread}`);
  const kept = newId("thread");
  const last = await ask(kept, null, "A pond tokens=5");
  await call("GET", `/v1/runs/${last.run_id}/events`);
}
