import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ErrorBody } from "#contract/errors.ts";
import { afterEach, describe, expect, test } from "vitest";
import { fold } from "#contract/fold.ts";
import { attach, gardenPng, open, requestUpload, put } from "./support/data/files.ts";
import { engines } from "./support/postgres/postgres.ts";
import { expectProblem } from "./support/clients/problem.ts";
import { canMakeReadOnly, makeReadOnly } from "./support/servers/read-only-folder.ts";
import { newPlace, startTestServer, type EngineName, type TestServer } from "./support/servers/server.ts";
import {
  branchOf,
  eventsOf,
  startRun,
  sendAndWait,
  waitForFirstWord,
} from "./support/clients/conversation.ts";
import type { Visitor } from "./support/clients/visitor.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

/** A server with a new data folder. `restart` starts another server at the same path. */
async function start(engine: EngineName) {
  const place = await newPlace(engine);
  const away = `${place.dataDir}.away`;
  undo.push(place.remove, async () => await rm(away, { recursive: true, force: true }));
  const startOne = async (): Promise<TestServer> => {
    const server = await startTestServer({ engine, place, model: true });
    undo.push(server.close);
    return server;
  };
  const server = await startOne();
  const restart = async (): Promise<TestServer> => {
    undo.pop();
    await server.close();
    return await startOne();
  };
  return { server, restart, dataDir: place.dataDir, away };
}

const ada = (server: TestServer): Visitor => server.person("ada");

async function newThread(who: Visitor) {
  return await who.ask("threads.create", { body: { last_message_at: new Date().toISOString() } });
}

async function threadIds(who: Visitor): Promise<string[]> {
  return (await who.call("threads.list")).threads.map(({ id }) => id);
}

/** Checks that writes are refused with an error and that reads work. */
async function expectRefusal(server: TestServer, part: "database" | "files", message: string): Promise<void> {
  const health = await server.guest.send("GET", "/healthz");
  expectProblem(health, "storage-unavailable");
  expect((health.body as ErrorBody).details).toContainEqual({ path: part, message });
  if (part === "files") return;
  const before = await threadIds(ada(server));
  const answers = await Promise.all(Array.from({ length: 20 }, async () => await newThread(ada(server))));
  for (const answer of answers) {
    expectProblem(answer, "storage-unavailable");
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
  expect(await threadIds(ada(server))).toEqual(before);
}

/** The log lines about storage, sorted, and all other errors. */
function logged(server: TestServer): string[] {
  const lines = server.log.lines().filter(({ part, level }) => part !== undefined || level >= 50);
  return lines
    .map(({ level, part, problem, msg }) =>
      [level >= 50 ? "error:" : "info:", part, problem ?? msg].join(" "),
    )
    .toSorted();
}

describe("a data folder under a running server", () => {
  test("that is removed: writes are refused, and the folder is not created again", async () => {
    const { server, restart, dataDir } = await start("sqlite");
    const talk = await sendAndWait(ada(server), "tokens=3");
    await rm(dataDir, { recursive: true });
    // The server cannot store when the key was last used. The key can still read.
    server.clock.advance(61_000);
    await expectRefusal(server, "database", "is missing");
    expect(await branchOf(ada(server), talk.thread_id)).toHaveLength(2);
    // A new folder at the path would prevent moving the old one back.
    expect((await ada(server).send("POST", "/v1/import", { body: "{}" })).status).toBe(503);
    expect(existsSync(dataDir)).toBe(false);
    expect(logged(server)).toEqual(["error: database missing", "error: files missing"]);
    await mkdir(join(dataDir, "dist", "web"), { recursive: true });
    const second = await restart();
    expect((await newThread(ada(second))).status).toBe(201);
  });

  test("that is moved away and back: writes and the running answer resume", async () => {
    const { server, restart, dataDir, away } = await start("sqlite");
    const talk = await startRun(ada(server), "Long\nendless gap=3");
    const { stream, seen } = await waitForFirstWord(ada(server), talk.run_id);
    await rename(dataDir, away);
    await expectRefusal(server, "database", "is missing");
    await expect.poll(() => server.log.text()).toContain("could not write answers; trying again");
    await rename(away, dataDir);
    seen.push(...(await stream.until(({ data }) => data.type === "text-delta")));
    const created = await newThread(ada(server));
    expect(created.status).toBe(201);
    await ada(server).call("runs.stop", { params: { run_id: talk.run_id } });
    const events = eventsOf([...seen, ...(await stream.rest())]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", state: "cancelled" });
    expect((await server.guest.send("GET", "/healthz")).status).toBe(200);
    expect(logged(server)).toEqual([
      "error: database missing",
      "error: files missing",
      "info: database writes are accepted again",
      "info: files writes are accepted again",
    ]);
    const second = await restart();
    expect(await threadIds(ada(second))).toEqual(
      expect.arrayContaining([talk.thread_id, created.body.thread_id]),
    );
    const reply = (await branchOf(ada(second), talk.thread_id)).at(-1);
    expect(reply?.content.content).toEqual(fold(events).parts);
  });

  test("that is replaced by a copy: writes are refused until a restart, and the copy stays intact", async () => {
    const { server, restart, dataDir, away } = await start("sqlite");
    const kept = await newThread(ada(server));
    await cp(dataDir, away, { recursive: true });
    await rm(dataDir, { recursive: true });
    await rename(away, dataDir);
    for (let round = 0; round < 2; round++) await expectRefusal(server, "database", "was replaced");
    expect(logged(server)).toHaveLength(2);
    const second = await restart();
    expect(await threadIds(ada(second))).toEqual([kept.body.thread_id]);
    expect((await newThread(ada(second))).status).toBe(201);
  });

  test.for(["", "-wal"])("whose parlance.db%s alone is removed: writes are refused", async (end) => {
    const { server, dataDir } = await start("sqlite");
    await newThread(ada(server));
    await rm(join(dataDir, `parlance.db${end}`));
    await expectRefusal(server, "database", "is missing");
    expect(logged(server)).toEqual(["error: database missing"]);
  });

  test.skipIf(!canMakeReadOnly)(
    "that becomes read-only: writes are refused until it is writable",
    async () => {
      const { server, dataDir } = await start("sqlite");
      await newThread(ada(server));
      const undone = makeReadOnly(dataDir);
      undo.push(undone);
      await expectRefusal(server, "database", "is read-only");
      undone();
      expect((await newThread(ada(server))).status).toBe(201);
      expect(logged(server)).toContainEqual("error: database read-only");
    },
  );

  test("that is removed: the log reports it before the first write", async () => {
    const { server, dataDir } = await start("sqlite");
    await rm(dataDir, { recursive: true });
    server.clock.advance(10_000);
    await expect.poll(() => logged(server)).toEqual(["error: database missing", "error: files missing"]);
  });
});

describe.for(engines)("the folder of the files under a running server (%s)", (engine) => {
  test("that is missing or replaced: uploads are refused until the same folder is back", async () => {
    const { server, dataDir, away } = await start(engine);
    const [folder, person] = [join(dataDir, "files"), ada(server)];
    const first = await attach(person, "garden.png", gardenPng);
    const second = await requestUpload(person, { filename: "notes.txt" });
    const send = async () => await put(second.signedUrl, "Some notes");
    const expectRefused = async () => {
      const answer = await send();
      expect([answer.status, await answer.json()]).toMatchObject([503, { code: "storage-unavailable" }]);
      expect((await newThread(person)).status, "other writes go on").toBe(201);
    };

    await rename(folder, away);
    await expectRefusal(server, "files", "is missing");
    await expectRefused();
    expect(existsSync(folder)).toBe(false);
    expect((await open(first.publicUrl)).status).toBe(503);
    await mkdir(folder);
    await expectRefusal(server, "files", "was replaced");
    await expectRefused();
    await rm(folder, { recursive: true });
    await rename(away, folder);
    expect((await send()).status).toBe(200);
    expect((await open(first.publicUrl)).bytes.equals(gardenPng)).toBe(true);
    expect((await open(second.publicUrl)).text).toBe("Some notes");
    expect((await server.guest.send("GET", "/healthz")).status).toBe(200);
    expect(logged(server)).toEqual([
      "error: files missing",
      "error: files replaced",
      "info: files writes are accepted again",
    ]);

    // A new folder may have the same inode number as the old one.
    await rm(folder, { recursive: true });
    await mkdir(folder);
    await expectRefusal(server, "files", "was replaced");
    expect(logged(server)).toHaveLength(4);
  });
});
