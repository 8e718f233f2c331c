import { newId } from "#contract/ids.ts";
import type { ProviderKindId } from "#contract/provider-kinds.ts";
import { userMessage } from "#fixtures/people.ts";
import { createOwner } from "./owner.ts";
import { call, readRun, startModel, startParlance, userWithKey, type User } from "../support/parlance.ts";
import { startProcess, type Measured } from "../support/process.ts";
import { median, type Bench, type Figure } from "../support/report.ts";
import { openStream, readEvents } from "../support/stream.ts";

/** The kinds with an API of their own, and chat completions. The others use one of these. */
const kinds = ["openai", "anthropic", "google", "mistral", "openai-compatible"] as const;

const rounds = 25;
const earlierMessages = 50;
const shareMsMax = 10;

const answers = 40;
const tokensPerAnswer = 300;
const gapMs = 20;
const ratioMax = 1.5;

const words = "The kitchen faces north, so the herbs never did well on the sill. ".repeat(6);

/** What the server adds to the AI SDK's own stream of each provider. */
export const providers: Bench = {
  about: `the time to the first token after ${earlierMessages} messages with 5 tools, and processor time per token, beside an app with the bare AI SDK`,
  async run() {
    const model = await startModel();
    const server = await startParlance({});
    try {
      const owner = await createOwner(server);
      const figures: Figure[] = [];
      for (const kind of kinds) figures.push(...(await measureKind(kind, { model, server, owner })));
      return figures;
    } finally {
      await server.stop();
      await model.stop();
    }
  },
};

async function measureKind(
  kind: ProviderKindId,
  { model, server, owner }: { model: Measured; server: Measured; owner: User },
): Promise<Figure[]> {
  const baseUrl = `${model.url}/${kind === "google" ? "v1beta" : "v1"}`;
  const sdk = await startProcess(["bench/providers/sdk-server.ts"], { KIND: kind, BASE_URL: baseUrl });
  try {
    const models = [{ id: "fixture-1", name: "" }];
    await call(owner, "POST", "/v1/providers", {
      kind,
      name: kind,
      base_url: baseUrl,
      api_key: "key",
      models,
    });
    const user = userWithKey(server.url, `providers-${kind}`);
    const asked = { user, model: `${kind}/fixture-1`, sdk };
    return [...(await firstTokens(kind, asked)), ...(await tokenCost(kind, server, asked))];
  } finally {
    await sdk.stop();
  }
}

type Asked = { user: User; model: string; sdk: Measured };

async function firstTokens(kind: string, { user, model, sdk }: Asked): Promise<Figure[]> {
  const thread = await importThread(user);
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = -5; round < rounds; round++) {
    const question = `Round ${round} tokens=5 gap=5`;
    const throughServer = await timed((onText) => askServer(user, { ...thread, model, question }, onText));
    const throughSdk = await timed((onText) => askSdk(sdk, question, thread.texts, onText));
    if (round < 0) continue;
    ours.push(throughServer);
    bare.push(throughSdk);
  }
  const shareMs = median(ours) - median(bare);
  return [
    {
      what: `${kind}: first token, median`,
      unit: "ms",
      ours: median(ours),
      baseline: median(bare),
      against: "the bare AI SDK",
    },
    {
      what: `${kind}: our share of the time to the first token`,
      unit: "ms",
      ours: shareMs,
      aim: `at most ${shareMsMax} ms`,
      met: shareMs <= shareMsMax,
    },
  ];
}

async function tokenCost(kind: string, server: Measured, { user, model, sdk }: Asked): Promise<Figure[]> {
  const question = `tokens=${tokensPerAnswer} gap=${gapMs}`;
  const ask = () => askServer(user, { id: newId("thread"), lastId: null, model, question }, () => {});
  await Promise.all(Array.from({ length: 5 }, ask));
  const ours = await cpuPerToken(server, ask);
  const bare = await cpuPerToken(sdk, () => askSdk(sdk, question, [], () => {}));
  return [
    {
      what: `${kind}: processor time per token`,
      unit: "µs",
      ours,
      baseline: bare,
      against: "the bare AI SDK",
      aim: `at most ${ratioMax} ×`,
      met: ours <= bare * ratioMax,
    },
  ];
}

async function cpuPerToken(measured: Measured, ask: () => Promise<void>): Promise<number> {
  const before = measured.cpuMs();
  await Promise.all(Array.from({ length: answers }, ask));
  return ((measured.cpuMs() - before) * 1_000) / (answers * tokensPerAnswer);
}

async function askServer(
  user: User,
  { id, lastId, model, question }: { id: string; lastId: string | null; model: string; question: string },
  onText: () => void,
): Promise<void> {
  const { run_id: runId } = await call<{ run_id: string }>(user, "POST", `/v1/threads/${id}/runs`, {
    message: { parent_id: lastId, content: userMessage(question) },
    model,
  });
  let state = "";
  await readRun(user, runId, (event) => {
    if (event.type === "text-delta") onText();
    if (event.type === "run-end") state = event.state;
  });
  if (state !== "completed") throw new Error(`a run ended as ${state}`);
}

async function askSdk(
  { url }: Measured,
  question: string,
  before: readonly string[],
  onText: () => void,
): Promise<void> {
  const messages = [...before, question].map((content, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content,
  }));
  const tools = before.length === 0 ? [] : ["calculate", "date", "search_threads", "read_thread", "note"];
  const body = JSON.stringify({ messages, tools });
  const answer = await openStream(url, { method: "POST", body });
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    answer.on("data", (bytes: Buffer) => {
      length += bytes.length;
      onText();
    });
    answer.once("end", resolve).on("error", reject);
  });
  if (length === 0) throw new Error("the bare SDK streamed nothing");
}

async function timed(work: (onText: () => void) => Promise<void>): Promise<number> {
  const fromMs = performance.now();
  let firstMs: number | undefined;
  await work(() => (firstMs ??= performance.now() - fromMs));
  return firstMs!;
}

async function importThread(user: User) {
  const id = newId("thread");
  let parentId: string | null = null;
  const messages = Array.from({ length: earlierMessages }, (_, n) => {
    const role = n % 2 === 0 ? "user" : "assistant";
    const content = { role, content: [{ type: "text", text: words }] };
    const createdAt = new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString();
    const message = { id: newId("message"), parent_id: parentId, role, format: "aui/v0", content };
    parentId = message.id;
    return { ...message, created_at: createdAt };
  });
  const body = { format: "parlance-thread", version: 1, thread: { id, title: "Earlier" }, messages };
  const stream = await openStream(`${user.url}/v1/import`, {
    method: "POST",
    headers: user.headers,
    body: JSON.stringify(body),
  });
  await readEvents(stream, () => {});
  return { id, lastId: messages.at(-1)!.id, texts: messages.map(() => words) };
}
