import { listenLocally } from "#fixtures/local-server.ts";
import { systemClock } from "#server/lib/clock.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { runCli } from "#cli/program.ts";
import type { Message } from "#contract/endpoints/messages.ts";
import { apiKey } from "#fixtures/people.ts";
import { runCommand, runCommandJson, type Ran } from "../support/servers/cli.ts";
import { engines } from "../support/postgres/postgres.ts";
import { seedLongThread } from "../support/data/seed.ts";
import { newPlace, settingsOf, startTestServer, type TestServer } from "../support/servers/server.ts";
import { keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";

type Result = {
  copied: number;
  already_here: number;
  deleted_here: number;
  failed: number;
  new_messages: number;
  failures: { thread_id: string; error: string }[];
};

const nothing: Result = {
  copied: 0,
  already_here: 0,
  deleted_here: 0,
  failed: 0,
  new_messages: 0,
  failures: [],
};

const inWorkspace = (server: TestServer, workspaceId: string): Visitor =>
  visitor(server.url, workspaceId, keyHeaders(apiKey, { userId: "user_ada", workspaceId }));

/** Adds a message to a thread. Returns its id. */
async function say(
  who: Visitor,
  threadId: string,
  parent: string | null,
  content: object,
  more: { format?: string; external_id?: string } = {},
): Promise<string> {
  const { message_id } = await who.call("messages.add", {
    params: { thread_id: threadId },
    body: { parent_id: parent, format: "aui/v0", content: content as never, ...more },
  });
  return message_id;
}

const words = (text: string, role = "user") => ({ role, content: [{ type: "text", text }] });

async function newThread(who: Visitor, body: object = {}): Promise<string> {
  const { thread_id } = await who.call("threads.create", {
    body: { last_message_at: "2026-01-02T03:04:05.678Z", ...body },
  });
  return thread_id;
}

/** All data of an app in a form that can be compared between servers: messages have the ids of the source. */
async function everything(server: TestServer, workspaces: string[]): Promise<unknown> {
  return await Promise.all(
    workspaces.map(async (name) => {
      const who = inWorkspace(server, name);
      const threads = [];
      for (const is_archived of ["false", "true"]) {
        threads.push(...(await who.call("threads.list", { query: { is_archived, limit: "100" } })).threads);
      }
      return await Promise.all(
        threads.map(async ({ id, title, external_id, is_archived, metadata, last_message_at }) => ({
          thread: { id, title, external_id, is_archived, metadata, last_message_at },
          messages: told(await messagesOf(who, id)),
        })),
      );
    }),
  );
}

function told(messages: Message[]) {
  const nameOf = new Map(messages.map((message) => [message.id, message.external_id ?? message.id]));
  return messages
    .map(({ id, parent_id, height, format, content }) => ({
      name: nameOf.get(id),
      parent: parent_id === null ? null : nameOf.get(parent_id),
      height,
      format,
      content: JSON.stringify(content),
    }))
    .toSorted((a, b) => a.height - b.height || String(a.name).localeCompare(String(b.name)));
}

async function messagesOf(who: Visitor, threadId: string): Promise<Message[]> {
  const all: Message[] = [];
  for (;;) {
    const after = all.at(-1)?.id;
    const { messages } = await who.call("messages.list", {
      params: { thread_id: threadId },
      query: { limit: 200, ...(after === undefined ? {} : { after }) },
    });
    all.push(...messages);
    if (messages.length < 200) return all;
  }
}

const long = { long_a: 210, long_b: 50, long_c: 50 };

describe.each(engines)("a copy from another server (%s)", (engine) => {
  let source: TestServer;
  let target: TestServer;
  beforeAll(async () => {
    source = await startTestServer({
      engine,
      async seed(place) {
        // More than one page, and less than one.
        for (const [name, length] of Object.entries(long)) await seedLongThread(place, name, length);
      },
    });
    target = await startTestServer({ engine });
  });
  afterAll(async () => {
    await source.close();
    await target.close();
  });

  const from = (): string[] => ["copy", "from", source.url, "--key", apiKey, "--to", target.url];
  const copy = async (...more: string[]) => await runCommandJson<Result>(target.place, ...from(), ...more);

  async function countsHere(workspaces: string[]): Promise<Record<string, number>> {
    const counts = workspaces.map(async (name): Promise<[string, number]> => {
      const who = inWorkspace(target, name);
      const [thread] = (await who.call("threads.list")).threads;
      return [name, thread === undefined ? 0 : (await messagesOf(who, thread.id)).length];
    });
    return Object.fromEntries(await Promise.all(counts));
  }

  test("continues after it was killed in the middle of a thread", async () => {
    const workspaces = Object.keys(long);
    const child = spawn(process.execPath, ["cli/main.ts", ...from()], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settingsOf(target.place, undefined) },
      stdio: "ignore",
    });
    // Until one thread is incomplete.
    await vi.waitUntil(
      async () => {
        const counts = await countsHere(workspaces);
        return workspaces.some(
          (name) => counts[name]! > 0 && counts[name]! < long[name as keyof typeof long],
        );
      },
      { timeout: 30_000, interval: 150 },
    );
    child.kill("SIGKILL");
    await once(child, "close");
    // The server may still execute requests of the killed copy.
    let before = -1;
    await vi.waitUntil(
      async () => {
        const counted = Object.values(await countsHere(workspaces)).reduce((sum, count) => sum + count, 0);
        const settled = counted === before;
        before = counted;
        return settled;
      },
      { timeout: 20_000, interval: 500 },
    );
    expect(before).toBeLessThan(310);

    expect(await copy()).toMatchObject({ failed: 0, new_messages: 310 - before });
    expect(await everything(target, workspaces)).toEqual(await everything(source, workspaces));
    // 90 s: a separate process and two servers.
  }, 90_000);

  test("copies the threads of every workspace completely, and only once", async () => {
    const [loom, mill] = [inWorkspace(source, "looms"), inWorkspace(source, "mills")];
    const branched = await newThread(loom, {
      title: "Patterns 🧵",
      external_id: "order/7",
      metadata: { colour: "red", nested: { a: [1, null] } },
    });
    const root = await say(loom, branched, null, words("Root"), { external_id: "their-own-id" });
    const reply = await say(loom, branched, root, words("First", "assistant"));
    await say(loom, branched, root, words("Second", "assistant"), { external_id: "second" });
    await say(
      loom,
      branched,
      reply,
      { role: "user", parts: [{ type: "text", text: "x" }] },
      { format: "ai-sdk/v6" },
    );
    await say(loom, branched, reply, {
      odd: { "": 0, constructor: null, "a\u0000b": "\ud800" },
      tiny: 1e-300,
    });
    const archived = await newThread(loom, { title: "Put away" });
    await say(loom, archived, null, words("Old"));
    await loom.call("threads.update", { params: { thread_id: archived }, body: { is_archived: true } });
    await newThread(loom);
    const other = await newThread(mill, { title: "Of another" });
    await say(mill, other, null, words("Word"));
    for (const [who, id] of [
      [loom, branched],
      [loom, archived],
      [mill, other],
    ] as const) {
      const body = { last_message_at: "2026-03-04T05:06:07.890Z" };
      await who.call("threads.update", { params: { thread_id: id }, body });
    }

    const result = await copy();
    expect(result).toEqual({ ...nothing, copied: 4, already_here: 3, new_messages: 7 });
    const original = await everything(source, ["looms", "mills"]);
    expect(await everything(target, ["looms", "mills"])).toEqual(original);

    expect(await copy()).toEqual({ ...nothing, already_here: 7 });
    expect(await everything(target, ["looms", "mills"])).toEqual(original);
  });

  test("copies messages added at the source since, and keeps changes made here", async () => {
    const there = inWorkspace(source, "goes-on");
    const id = await newThread(there, { title: "Begun" });
    const first = await say(there, id, null, words("One"));
    expect(await copy("--workspace", "goes-on")).toMatchObject({ copied: 1, new_messages: 1 });
    const here = inWorkspace(target, "goes-on");
    await here.call("threads.update", { params: { thread_id: id }, body: { title: "Renamed here" } });

    source.clock.advance(60_000);
    await say(there, id, first, words("Two", "assistant"));
    expect(await copy("--workspace", "goes-on")).toMatchObject({ copied: 1, new_messages: 1 });
    const { thread } = await here.call("threads.get", { params: { thread_id: id } });
    const { thread: original } = await there.call("threads.get", { params: { thread_id: id } });
    expect(thread).toMatchObject({ title: "Renamed here", last_message_at: original.last_message_at });
    expect(told(await messagesOf(here, id))).toEqual(told(await messagesOf(there, id)));
  });

  test("copies one workspace into another", async () => {
    const there = inWorkspace(source, "alone");
    const id = await newThread(there, { title: "Alone" });
    await newThread(inWorkspace(source, "not-alone"));
    expect(await copy("--workspace", "alone", "--into", "elsewhere")).toMatchObject({ copied: 1 });
    const { threads } = await inWorkspace(target, "elsewhere").call("threads.list");
    expect(threads.map((thread) => thread.id)).toEqual([id]);
    expect((await inWorkspace(target, "not-alone").call("threads.list")).threads).toEqual([]);
    // Again, into a third one: a thread is in only one workspace.
    const again = [...from(), "--workspace", "alone", "--into", "yet-elsewhere"];
    const { code, err } = await runCommand(target.place, again);
    expect(code).toBe(1);
    expect(err).toContain("This thread already exists in another workspace than yet-elsewhere.");
  });

  test("creates a temporary key if this server has none, and revokes it", async () => {
    await newThread(inWorkspace(source, "keyless"), { title: "Keyless" });
    const { code, out, err } = await runCommand(target.place, [...from(), "--workspace", "keyless"], {
      PARLANCE_API_KEY: "",
    });
    expect({ code, out }, err).toEqual({
      code: 0,
      out: "Copied 1 threads with 0 new messages; 0 were already here.\n",
    });
    const keys = await runCommandJson<{ name: string; state: string }[]>(
      target.place,
      "key",
      "list",
      "--all",
    );
    expect(keys.filter(({ name }) => name === "copy").map(({ state }) => state)).toEqual(["revoked"]);
  });

  test("leaves a thread in the trash, and reports the result for each thread", async () => {
    const there = inWorkspace(source, "trashed");
    const id = await newThread(there, { title: "Thrown away" });
    const parent = await say(there, id, null, words("One"));
    await copy("--workspace", "trashed");
    await inWorkspace(target, "trashed").call("threads.remove", { params: { thread_id: id } });
    await say(there, id, parent, words("Two"));
    const good = await newThread(there, { title: "Good" });
    expect(await runCommand(target.place, [...from(), "--workspace", "trashed"])).toEqual({
      code: 0,
      out: "Copied 1 threads with 0 new messages; 0 were already here, and 1 were deleted here and stay deleted.\n",
      err: [
        `deleted  ${id} "Thrown away": it was deleted here, and stays deleted`,
        `copied   ${good} "Good": 0 new messages`,
        "",
      ].join("\n"),
    });
    expect((await inWorkspace(target, "trashed").call("threads.list")).threads).toHaveLength(1);
  });
});

describe("a copy from a server with problems", () => {
  /** Runs the command with a clock that does not wait, and records the waits. */
  async function run(sourceUrl: string, ...more: string[]): Promise<Ran & { waitedMs: number[] }> {
    const place = await newPlace("sqlite");
    const target = await startTestServer({ engine: "sqlite", place });
    const waitedMs: number[] = [];
    const ran = { out: "", err: "" };
    try {
      const code = await runCli(
        ["copy", "from", sourceUrl, "--key", "sk_aui_proj_theirs", "--to", target.url, "--json", ...more],
        {
          folder: place.dataDir,
          environment: settingsOf(place, undefined),
          clock: { ...systemClock, sleep: async (ms) => void waitedMs.push(ms) },
          out: (text) => void (ran.out += text),
          err: (text) => void (ran.err += text),
        },
      );
      return { code, ...ran, waitedMs };
    } finally {
      await target.close();
      await place.remove();
    }
  }

  async function served(answer: RequestListener): Promise<string> {
    const { url, close } = await listenLocally(createServer(answer));
    onTestFinished(close);
    return url;
  }

  /** A URL at which no server listens. */
  async function unusedUrl(): Promise<string> {
    const { url, close } = await listenLocally(createServer());
    await close();
    return url;
  }

  const json = (status: number, body: object, headers: object = {}): RequestListener => {
    return (_, response) =>
      response
        .writeHead(status, { "Content-Type": "application/json", ...headers })
        .end(JSON.stringify(body));
  };

  test.for<[string, RequestListener, RegExp]>([
    [
      "refuses the key",
      json(403, { error: "Invalid API key" }),
      /^\{"error":"--key: .* refused the key: Invalid API key"\}$/m,
    ],
    ["is no chat service", (_, response) => response.end("<html>"), /not JSON. Is this the address/],
    [
      "has no such address",
      json(404, { error: "Not Found" }),
      /does not list threads: .* Is this the address/,
    ],
    ["answers something else", json(200, { threads: [{ id: 7 }] }), /an unexpected shape: threads\.0\./],
    ["fails", json(500, { message: "Broken." }), /cannot be reached: Broken\. What was copied stays/],
  ])("that %s ends with what to do", async ([, answer, sentence]) => {
    const { code, out, err } = await run(await served(answer));
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toMatch(sentence);
  });

  test("retries an unreachable server a few times, with increasing delays", async () => {
    const url = await unusedUrl();
    const { code, err, waitedMs } = await run(url);
    expect(code).toBe(1);
    expect(err).toMatch(/the source http:\/\/127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/);
    expect(waitedMs).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  });

  test("waits as long as the server requests", async () => {
    let asked = 0;
    const url = await served((request, response) => {
      asked++;
      if (asked <= 2)
        json(429, { error: "rate_limited" }, { "Retry-After": asked === 1 ? "7" : "0" })(request, response);
      else json(200, { threads: [] })(request, response);
    });
    const { code, err, waitedMs } = await run(url);
    expect(code).toBe(0);
    expect(waitedMs).toEqual([7_000, 0]);
    expect(err).toContain("the source asks us to wait 7 s.");
  });

  test("converts foreign ids to the same ids each time, and continues after a broken thread", async () => {
    const thread = (id: string) => ({
      id,
      project_id: "p",
      workspace_id: "w",
      title: id,
      external_id: null,
      last_message_at: "2026-01-01T00:00:00.000Z",
      is_archived: false,
      metadata: null,
    });
    const url = await served((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://source");
      const orphan = { id: "2", parent_id: "gone", format: "f", content: {} };
      const whole = { id: "1", parent_id: null, format: "f", content: {} };
      const body =
        pathname === "/v1/projects/threads"
          ? { threads: searchParams.get("is_archived") === "true" ? [] : [thread("a/1"), thread("b")] }
          : { messages: pathname.includes("a%2F1") ? [orphan] : [whole] };
      json(200, body)(request, response);
    });
    const { code, out, err } = await run(`${url}/v1/`);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      copied: 1,
      failed: 1,
      new_messages: 1,
      failures: [{ thread_id: "a/1", error: expect.stringContaining("has a parent") as string }],
    });
    const id = /^copied {3}b .*, as (thread_0[0-9a-z]{24})$/m.exec(err)?.[1];
    expect(id).toBeDefined();
    expect((await run(url)).err).toContain(`, as ${id}`);
  });

  test("sends no request if the command is wrong", async () => {
    expect((await run("chat.example.org")).err).toContain("is not an address. Use a form such as https://");
    const { code, err } = await run("http://127.0.0.1:1", "--key", "@/nowhere/key");
    expect([code, err.includes("/nowhere/key")]).toEqual([1, true]);
  });
});
