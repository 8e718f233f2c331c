import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Chat } from "@ai-sdk/react";
import type { ChatModelRunResult } from "@assistant-ui/react";
import { streamText } from "ai";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { gardenPng } from "#tests/support/data/files.ts";
import { installClient } from "#tests/support/clients/install-client.ts";
import { describeServer, type TestServer } from "#tests/support/servers/server.ts";
import { keyCloud, newestClient, clients } from "#tests/protocol/clients.ts";
import type * as Main from "../../client/parlance.ts";
import type * as Files from "../../client/download.ts";
import type * as Model from "../../client/chat-model.ts";
import type * as Transport from "../../client/chat-transport.ts";

/** The package as npm would publish it, in an app that installed it. */

let app: Awaited<ReturnType<typeof installClient>>;
let main: typeof Main;
let files: typeof Files;
let model: typeof Model;
let transport: typeof Transport;

beforeAll(async () => {
  app = await installClient();
  const built = join(app.folder, "node_modules/parlance-client/dist/client");
  main = (await import(join(built, "parlance.js"))) as typeof Main;
  files = (await import(join(built, "download.js"))) as typeof Files;
  model = (await import(join(built, "chat-model.js"))) as typeof Model;
  transport = (await import(join(built, "chat-transport.js"))) as typeof Transport;
});
afterAll(() => app?.remove());

describeServer("an app with the npm package", { model: true, on: ["sqlite"] }, (server) => {
  const parlanceOf = ({ url, headers }: { url: string; headers: Record<string, string> }) =>
    main.createParlance({ baseUrl: url, headers: () => headers });

  test("calls endpoints, and gets their errors with the code", async () => {
    const parlance = parlanceOf(server().inNewWorkspace());
    const { thread_id } = await parlance.call("POST /v1/threads", {
      body: { last_message_at: new Date().toISOString(), title: "Rivers" },
    });
    const { thread } = await parlance.call("GET /v1/threads/{thread_id}", { params: { thread_id } });
    expect(thread.title).toBe("Rivers");
    const { threads } = await parlance.call("GET /v1/threads", { query: { limit: "1" } });
    expect(threads.map(({ id }) => id)).toEqual([thread_id]);
    const strangers = parlanceOf(server().inNewWorkspace());
    const refused = strangers.call("GET /v1/threads/{thread_id}", { params: { thread_id } });
    await expect(refused).rejects.toThrow(main.ParlanceError);
    await expect(refused).rejects.toMatchObject({ status: 404, code: "thread-not-found" });
    await expect(parlanceOf(server().guest).call("GET /v1/threads", { query: {} })).rejects.toMatchObject({
      status: 401,
    });
  });

  test.each(clients)("has the address and the credential of %s", async (_, client) => {
    const cloud = keyCloud(client, server());
    const { thread_id } = await cloud.threads.create({ last_message_at: new Date() });
    const parlance = main.createParlance({ cloud });
    const { threads } = await parlance.call("GET /v1/threads", { query: {} });
    expect(threads.map(({ id }) => id)).toEqual([thread_id]);
  });

  test("follows the changes of its workspace, also those during a lost connection", async () => {
    const ada = server().inNewWorkspace();
    const network = await startNetwork(server());
    const stop = new AbortController();
    let connections = 0;
    const parlance = main.createParlance({
      baseUrl: network.url,
      headers() {
        if (++connections === 2) throw new TypeError("The network is down.");
        return ada.headers;
      },
    });
    const changes = parlance.changes(stop.signal);
    const create = async (title: string) =>
      await ada.call("threads.create", { body: { last_message_at: new Date().toISOString(), title } });

    const first = changes.next();
    await network.connected();
    await create("Before");
    expect((await first).value).toMatchObject({ type: "thread-put", thread: { title: "Before" } });
    network.cut();
    await create("Meanwhile");
    expect((await changes.next()).value).toMatchObject({ thread: { title: "Meanwhile" } });
    expect(connections).toBe(3);
    stop.abort();
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    await network.close();
  });

  test("stops following when the server refuses the caller", async () => {
    const changes = parlanceOf(server().guest).changes(AbortSignal.timeout(5_000));
    await expect(changes.next()).rejects.toMatchObject({ status: 401 });
  });

  test("reads an answer on after a lost connection with useChatRuntime's transport, and stops it", async () => {
    const ada = server().inNewWorkspace();
    const { thread_id: id } = await ada.call("threads.create", {
      body: { last_message_at: new Date().toISOString() },
    });
    const network = await startNetwork(server());
    const options = { api: `${network.url}/v1/runs/stream`, headers: async () => ada.headers };
    const cloud = { runs: { __internal_getAssistantOptions: () => options } };
    // `@ai-sdk/react` is pinned with an older version of `ai`.
    const chat = new Chat({ id, transport: transport.createChatTransport({ cloud }) as never });
    const said = () => textOf(chat.messages.at(-1)?.parts ?? []);

    const sent = chat.sendMessage({ text: "Count for me tokens=30 gap=20" });
    await vi.waitFor(() => expect(said().split(" ").length).toBeGreaterThan(3));
    network.cut();
    await sent;
    expect(chat.error).toBeUndefined();
    expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect(said().split(" ")).toHaveLength(30);
    expect(await server().requestsWith("Count for me")).toHaveLength(1);
    const { messages } = await ada.call("messages.list", { params: { thread_id: id } });
    expect(messages).toMatchObject([{ external_id: chat.messages[0]?.id, content: { role: "user" } }]);

    const endless = `${crypto.randomUUID()} endless gap=5`;
    const unfinished = chat.sendMessage({ text: endless });
    const [asked] = await server().requestsWith(endless);
    await vi.waitFor(() => expect(chat.status).toBe("streaming"));
    await chat.stop();
    await unfinished;
    await asked?.end;
    expect(asked?.ended).toBe("gone");
    await network.close();
  });

  test("reads an answer on after a lost connection with useLocalRuntime's model", async () => {
    const ada = server().inNewWorkspace();
    const network = await startNetwork(server());
    const { run } = model.createChatModel({ baseUrl: network.url, headers: () => ada.headers });
    const message = (role: string, text: string) =>
      ({ role, content: text === "" ? [] : [{ type: "text", text }], metadata: { custom: {} } }) as never;
    const results = run({
      messages: [message("user", "Count think=2 tokens=30 gap=20")],
      runConfig: {},
      context: {},
      abortSignal: AbortSignal.timeout(20_000),
      unstable_getMessage: () => message("assistant", ""),
    });
    const read: ChatModelRunResult[] = [];
    let wasCut = false;
    for await (const result of results as AsyncGenerator<ChatModelRunResult, void>) {
      read.push(result);
      if (wasCut || textOf(result.content ?? []).split(" ").length < 4) continue;
      wasCut = true;
      network.cut();
    }
    const last = read.at(-1);
    expect(last?.content?.map(({ type }) => type)).toEqual(["reasoning", "text"]);
    expect(textOf(last?.content ?? []).split(" ")).toHaveLength(30);
    expect(last?.status).toEqual({ type: "complete", reason: "stop" });
    await network.close();
  });

  test("sends the server's files to its model, from a private address", async () => {
    const cloud = keyCloud(newestClient, server());
    const { signedUrl, publicUrl } = await cloud.files.generatePresignedUploadUrl({ filename: "garden.png" });
    await fetch(signedUrl, { method: "PUT", body: gardenPng, headers: { "Content-Type": "image/png" } });
    const download = files.download({ baseUrl: server().url });
    const ask = async (url: string, words: string, how: { experimental_download?: typeof download }) => {
      let failure: unknown;
      const { text } = streamText({
        ...how,
        model: createOpenAICompatible({ name: "fixture", baseURL: server().model.url })("fixture-1"),
        maxRetries: 0,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: words },
              { type: "file", data: new URL(url), mediaType: "image/png" },
            ],
          },
        ],
        onError: ({ error }) => void (failure = error),
      });
      await text.then(undefined, () => {});
      return failure;
    };

    expect(await ask(publicUrl, "Without it", {})).toBeDefined();
    expect(await ask(publicUrl, "With it", { experimental_download: download })).toBeUndefined();
    const [asked] = await server().requestsWith("With it");
    expect(JSON.stringify(asked?.body)).toContain(gardenPng.toString("base64"));
    // A page can name any address of this network, so only the server's files are read.
    for (const address of [`${server().url}/healthz`, `${server().url}/v1/content/../../healthz`])
      expect(await ask(address, "Elsewhere", { experimental_download: download }), address).toBeDefined();
    const gone = publicUrl.replace(/[^/]*$/, "00000000000000000000000000.png");
    expect(String(await ask(gone, "Gone", { experimental_download: download }))).toContain("status 404");
  });
});

test("has the types of every endpoint", () => {
  writeFileSync(join(app.folder, "app.ts"), typedApp);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: "es2022",
    module: "nodenext",
    lib: ["es2023", "dom"],
    types: [],
  };
  writeFileSync(join(app.folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["app.ts"] }));
  const { stdout } = spawnSync(
    process.execPath,
    ["node_modules/typescript/bin/tsc", "--project", app.folder],
    { encoding: "utf8" },
  );
  expect(stdout).toBe("");
});

const typedApp = `
import { AssistantCloud } from "assistant-cloud";
import { streamText } from "ai";
import { createParlance } from "parlance-client";
import { useServerRuntime } from "parlance-client/chat-model";
import { createChatTransport } from "parlance-client/chat-transport";
import { download } from "parlance-client/download";
import { useLiveThreads } from "parlance-client/react";
import { useChatRuntime } from "@assistant-ui/react-ai-sdk";

const cloud = new AssistantCloud({ baseUrl: "http://127.0.0.1:3000", anonymous: true });
const parlance = createParlance({ cloud });
const { thread } = await parlance.call("GET /v1/threads/{thread_id}", { params: { thread_id: "thread_0" } });
export const title: string | null = thread.title;
export const text: Parameters<typeof streamText>[0]["experimental_download"] = download({ baseUrl: "" });
export type Hook = typeof useLiveThreads;
export const useChat = () => useChatRuntime({ cloud, transport: createChatTransport({ cloud }) });
export const useLocal = () => useServerRuntime({ cloud });
// @ts-expect-error: there is no such endpoint
await parlance.call("GET /v1/nothing", {});
// @ts-expect-error: the parameter is missing
await parlance.call("GET /v1/threads/{thread_id}", {});
// @ts-expect-error: a title is not a number
export const wrong: number = thread.title;
// @ts-expect-error: a thread has no such field
thread.colour;
`;

const textOf = (parts: readonly { type: string; text?: string }[]) =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** A network between the app and the server that can be cut. */
async function startNetwork(to: TestServer) {
  const sockets = new Set<Socket>();
  let connected = Promise.withResolvers<void>();
  const proxy = createServer((socket) => {
    const upstream = connect(to.port, "127.0.0.1");
    sockets.add(socket);
    socket.pipe(upstream).pipe(socket);
    upstream.once("data", () => connected.resolve());
    for (const end of [socket, upstream]) end.on("error", () => {});
    socket.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    connected = Promise.withResolvers();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    connected: async () => await connected.promise,
    cut,
    async close() {
      cut();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
