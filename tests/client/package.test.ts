import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { installClient } from "#tests/support/clients/install-client.ts";
import { shortenSilence, startNetwork } from "#tests/support/servers/network.ts";
import { describeServer } from "#tests/support/servers/server.ts";
import { keyCloud, clients } from "#tests/protocol/clients.ts";
import type * as Main from "../../client/parlance.ts";

/** The package as npm would publish it, in an app that installed it. */

let app: Awaited<ReturnType<typeof installClient>>;
let main: typeof Main;

beforeAll(async () => {
  app = await installClient();
  main = (await importBuilt("parlance.js")) as typeof Main;
  // Two minutes: it builds the package, and npm packs and installs it.
}, 120_000);
afterAll(() => app?.remove());

const importBuilt = async (file: string): Promise<unknown> =>
  await import(join(app.folder, "node_modules/parlance-client/dist/client", file));

describeServer("an app with the npm package", { on: ["sqlite"] }, (server) => {
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

  /** Follows a new workspace through a network. */
  async function startFollowing(onConnect = (_connections: number) => {}) {
    const ada = server().inNewWorkspace();
    const network = await startNetwork(server());
    onTestFinished(network.close);
    const stop = new AbortController();
    let connections = 0;
    const parlance = main.createParlance({
      baseUrl: network.url,
      headers() {
        onConnect(++connections);
        return ada.headers;
      },
    });
    const changes = parlance.changes(stop.signal);
    const create = async (title: string) =>
      await ada.call("threads.create", { body: { last_message_at: new Date().toISOString(), title } });
    return { network, stop, changes, create, connections: () => connections };
  }

  test("follows the changes of its workspace, also those during a lost connection", async () => {
    const { network, stop, changes, create, connections } = await startFollowing((count) => {
      if (count === 2) throw new TypeError("The network is down.");
    });
    // The app misses no change if it loads its data now.
    expect((await changes.next()).value).toEqual({ type: "reset" });
    await create("Before");
    const { value } = await changes.next();
    expect(value).toMatchObject({ type: "thread-put", thread: { title: "Before" } });
    network.cut();
    await create("Meanwhile");
    expect((await changes.next()).value).toMatchObject({ thread: { title: "Meanwhile" } });
    expect(connections()).toBe(3);
    stop.abort();
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });

  test("connects again when its connection is dead without a sign", async () => {
    shortenSilence();
    const { network, stop, changes, create } = await startFollowing();
    expect((await changes.next()).value).toEqual({ type: "reset" });
    network.freeze();
    await create("Unheard");
    expect((await changes.next()).value).toMatchObject({ thread: { title: "Unheard" } });
    stop.abort();
  });

  test("stops following when the server refuses the caller", async () => {
    const changes = parlanceOf(server().guest).changes(AbortSignal.timeout(5_000));
    await expect(changes.next()).rejects.toMatchObject({ status: 401 });
  });
});

test("has its licence, and exports a function for each purpose", async () => {
  expect(readFileSync(join(app.folder, "node_modules/parlance-client/LICENSE"), "utf8")).toContain("MIT");
  for (const [file, name] of [
    ["download.js", "download"],
    ["chat-model.js", "createChatModel"],
    ["chat-transport.js", "createChatTransport"],
    ["react.js", "useLiveThreads"],
  ] as const)
    expect(await importBuilt(file)).toMatchObject({ [name]: expect.any(Function) as unknown });
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
