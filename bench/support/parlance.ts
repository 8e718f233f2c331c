import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "#contract/run-events.ts";
import { apiKey } from "#fixtures/people.ts";
import { startProcess, type Measured } from "./process.ts";
import { openStream, readEvents, type Asked } from "./stream.ts";

/** Our own server, and the folder of its database. */
export type Parlance = Measured & { dataDir: string };

/** A server with a database of its own that goes when it stops. */
export async function startParlance(env: Record<string, string>): Promise<Parlance> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-bench-"));
  const server = await startProcess(["server/main.ts"], {
    PORT: "0",
    HOST: "127.0.0.1",
    DATA_DIR: folder,
    OLLAMA_URL: "off",
    LOG_LEVEL: "warn",
    PARLANCE_API_KEY: apiKey,
    // One person plays them all.
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

/** The model that answers, with a process of its own. */
export async function startModel(): Promise<Measured> {
  return await startProcess(["fixtures/model-server/main.ts", "--port", "0"]);
}

/** The smallest possible server between a reader and a model. */
export async function startProxy(modelUrl: string): Promise<Measured> {
  return await startProcess(["bench/support/proxy.ts"], { MODEL_URL: modelUrl });
}

export type Person = { headers: Record<string, string>; url: string };

export async function signUp(url: string): Promise<Person> {
  const answer = (await (await fetch(`${url}/v1/auth/tokens/anonymous`, { method: "POST" })).json()) as {
    access_token: string;
  };
  return {
    url,
    headers: { Authorization: `Bearer ${answer.access_token}`, "Content-Type": "application/json" },
  };
}

/** A person of an app's backend. Unlike guests, they may write any number of messages a minute. */
export function personWithKey(url: string, workspace: string): Person {
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
  person: Person,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${person.url}${path}`, {
    method,
    headers: person.headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Asks in a thread of its own, and follows the answer to its end. */
export async function ask(
  person: Person,
  threadId: string,
  text: string,
  hear: (event: RunEvent, seq: number) => void,
): Promise<void> {
  const message = { parent_id: null, content: { role: "user", content: [{ type: "text", text }] } };
  const run = await call<{ run_id: string }>(person, "POST", `/v1/threads/${threadId}/runs`, { message });
  const stream = await openStream(`${person.url}/v1/runs/${run.run_id}/events`, { headers: person.headers });
  await readEvents(stream, (data, id) => hear(JSON.parse(data) as RunEvent, Number(id)));
}

/** The request to the proxy's model. */
export function proxyQuestion(text: string): Asked {
  const body = { model: "fixture", stream: true, messages: [{ role: "user", content: text }] };
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

/** The model's tokens through the proxy. */
export async function askProxy(url: string, text: string, hear: (token: string) => void): Promise<void> {
  const stream = await openStream(`${url}/v1/chat/completions`, proxyQuestion(text));
  await readEvents(stream, (data) => {
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data) as { choices: { delta?: { content?: string } }[] };
    const token = chunk.choices[0]?.delta?.content;
    if (token) hear(token);
  });
}
