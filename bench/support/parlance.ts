import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "#contract/run-events.ts";
import { newId } from "#contract/ids.ts";
import { apiKey, userMessage } from "#fixtures/people.ts";
import { startProcess, type Measured } from "./process.ts";
import { openStream, readEvents, type RequestOptions } from "./stream.ts";

/** A Parlance server and the folder of its database. */
export type Parlance = Measured & { dataDir: string };

/** Starts a server with a new database, which is deleted when the server stops. */
export async function startParlance(env: Record<string, string>): Promise<Parlance> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-bench-"));
  const server = await startProcess(["server/main.mjs"], {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: folder,
    OLLAMA_URL: "off",
    LOG_LEVEL: "warn",
    PARLANCE_API_KEY: apiKey,
    // All runs and streams are of one user.
    RUNS_PER_VISITOR: "10000",
    RUNS_PER_ADDRESS: "10000",
    STREAMS_PER_VISITOR: "10000",
    STREAMS_PER_ADDRESS: "10000",
    ...env,
  });
  return {
    ...server,
    dataDir: folder,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the model server in a separate process. */
export async function startModel(): Promise<Measured> {
  return await startProcess(["fixtures/model-server/main.ts", "--port", "0"]);
}

/** Starts a minimal proxy between readers and the model. */
export async function startProxy(modelUrl: string): Promise<Measured> {
  return await startProcess(["bench/support/proxy.ts"], { MODEL_URL: modelUrl });
}

export type User = { headers: Record<string, string>; url: string };

export async function signUp(url: string): Promise<User> {
  const answer = (await (await fetch(`${url}/v1/auth/tokens/anonymous`, { method: "POST" })).json()) as {
    access_token: string;
  };
  return {
    url,
    headers: { Authorization: `Bearer ${answer.access_token}`, "Content-Type": "application/json" },
  };
}

/** A user of an app's backend. Unlike guests, they have no limit on messages per minute. */
export function userWithKey(url: string, workspace: string): User {
  return {
    url,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      "Aui-User-Id": "ada",
      "Aui-Workspace-Id": workspace,
      "Content-Type": "application/json",
    },
  };
}

export async function call<Answer>(
  user: User,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${user.url}${path}`, {
    method,
    headers: user.headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Asks in a thread, which is new by default. */
export async function startRun(
  user: User,
  text: string,
  { threadId = newId("thread"), parentId = null }: { threadId?: string; parentId?: string | null } = {},
): Promise<{ runId: string; messageId: string; replyId: string }> {
  const message = { parent_id: parentId, content: userMessage(text) };
  const started = await call<{ run_id: string; message_id: string; reply_id: string }>(
    user,
    "POST",
    `/v1/threads/${threadId}/runs`,
    { message },
  );
  return { runId: started.run_id, messageId: started.message_id, replyId: started.reply_id };
}

/** Follows a run to its end. */
export async function readRun(
  user: User,
  runId: string,
  onEvent: (event: RunEvent, seq: number) => void,
): Promise<void> {
  const stream = await openStream(`${user.url}/v1/runs/${runId}/events`, { headers: user.headers });
  await readEvents(stream, (data, id) => onEvent(JSON.parse(data) as RunEvent, Number(id)));
}

/** Asks in a new thread and follows the answer to its end. */
export async function ask(
  user: User,
  threadId: string,
  text: string,
  onEvent: (event: RunEvent, seq: number) => void,
): Promise<void> {
  const { runId } = await startRun(user, text, { threadId });
  await readRun(user, runId, onEvent);
}

/** Waits for the end of a run without reading its events. */
export async function waitForEnd(user: User, runId: string): Promise<void> {
  for (;;) {
    const { run } = await call<{ run: { state: string } }>(user, "GET", `/v1/runs/${runId}`);
    if (run.state !== "running") return;
    await sleep(200);
  }
}

/** Asks for an answer that the client stores. Throws if the answer was not complete. */
export async function askStream(user: User, text: string, onText: (text: string) => void): Promise<void> {
  const messages = [userMessage(text)];
  const stream = await openStream(`${user.url}/v1/runs/stream`, {
    method: "POST",
    headers: { ...user.headers, Accept: "text/event-stream" },
    body: JSON.stringify({ thread_id: "unstable_todo", assistant_id: "default", messages }),
  });
  let isComplete = false;
  await readEvents(stream, (data) => {
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data) as { type: string; delta?: string };
    if (chunk.type === "text-delta") onText(chunk.delta ?? "");
    isComplete ||= chunk.type === "finish";
  });
  if (!isComplete) throw new Error("an answer was not complete");
}

/** A request for an answer through the proxy. */
export function proxyQuestion(text: string): RequestOptions {
  const body = { model: "fixture", stream: true, messages: [{ role: "user", content: text }] };
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

/** Asks the model through the proxy. */
export async function askProxy(url: string, text: string, onToken: (token: string) => void): Promise<void> {
  const stream = await openStream(`${url}/v1/chat/completions`, proxyQuestion(text));
  await readEvents(stream, (data) => {
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data) as { choices: { delta?: { content?: string } }[] };
    const token = chunk.choices[0]?.delta?.content;
    if (token) onToken(token);
  });
}
