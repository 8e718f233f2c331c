import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi, onTestFinished } from "vitest";
import { runServerToItsEnd, startChildServer } from "./support/servers/child-server.ts";
import { emptyPlace, settingsOf, startTestServer } from "./support/servers/server.ts";
import { serverForTest } from "./support/test-scope.ts";

async function place() {
  const made = await emptyPlace("sqlite");
  onTestFinished(made.remove);
  return made;
}

describe("a server that starts", () => {
  test("prints its URL and the owner's link to standard output, and its log to standard error", async () => {
    const server = await startChildServer(await place(), undefined, { SHUTDOWN_GRACE_SECONDS: "600" });
    onTestFinished(async () => void (await server.end("SIGKILL")));
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.ownerLink).toMatch(/\/owner#[\w-]{32}$/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const ended = await server.end("SIGTERM");
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(ended.stderr).toMatch(/^(\{.*\}\n)*$/);
    expect(ended.stderr).not.toContain(server.ownerLink.split("#")[1]);
  });

  test("makes its secret and database unreadable for other users of the machine", async () => {
    const where = await place();
    const server = await startTestServer({
      engine: "sqlite",
      place: where,
      settings: { PARLANCE_SECRET: "" },
    });
    await server.close();
    for (const file of ["secret", "parlance.db"])
      expect(statSync(join(where.dataDir, file)).mode & 0o077, file).toBe(0);
  });

  test("refuses a damaged secret", async () => {
    const where = await place();
    writeFileSync(join(where.dataDir, "secret"), "short\n");
    await expect(
      startTestServer({ engine: "sqlite", place: where, settings: { PARLANCE_SECRET: "" } }),
    ).rejects.toThrow(/secret is damaged/);
  });

  test("waits for no idle connection when it stops", async () => {
    const server = await startTestServer({ engine: "sqlite" });
    // Its connection stays open.
    await server.anonymous();
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      await server.close();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a server that cannot start", () => {
  test("reports every wrong setting with a remedy, and no secrets", async () => {
    const where = await place();
    const ended = await runServerToItsEnd({
      ...settingsOf(where, undefined),
      PORT: "eighty",
      TRUST_PROXY: "11",
      PUBLIC_URL: "chat.example",
      DATABASE_URL: "mysql://ada:terribly-secret@db/parlance",
      OPENAI_BASE_URL: "ftp://models",
      PARLANCE_SECRET: "terribly-secret",
      PARLANCE_API_KEY: "terribly-secret",
      PARLANCE_ANONYMOUS: "perhaps",
      PARLANCE_ALLOWED_ORIGINS: "https://a.example/path",
      LOG_LEVEL: "loud",
    });
    expect(ended.code).toBe(1);
    for (const name of [
      "PORT",
      "TRUST_PROXY",
      "PUBLIC_URL",
      "DATABASE_URL",
      "OPENAI_BASE_URL",
      "PARLANCE_SECRET",
      "PARLANCE_API_KEY",
      "PARLANCE_ANONYMOUS",
      "PARLANCE_ALLOWED_ORIGINS",
      "LOG_LEVEL",
    ]) {
      expect(ended.stderr, name).toMatch(new RegExp(`^ +${name} must `, "m"));
    }
    expect(ended.stderr).toContain("Parlance cannot start");
    expect(ended.stderr).not.toMatch(/terribly-secret|\n +at /);
  });

  test("reports that its port is in use, and what to do", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(async () => await new Promise<void>((resolve) => other.close(() => resolve())));
    const { port } = other.address() as AddressInfo;
    const where = await place();
    const ended = await runServerToItsEnd(settingsOf(where, undefined, { PORT: String(port) }));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(
      `Port ${port} on 127.0.0.1 is in use by another program. Stop it, or set PORT to another number.`,
    );
    expect(ended.stderr).not.toMatch(/\n +at /);
    // It released its database, so the next start succeeds.
    await (await startTestServer({ engine: "sqlite", place: where })).close();
  });

  test("reports that another server uses its database, and does not affect it", async () => {
    const where = await place();
    const first = await serverForTest({ engine: "sqlite", place: where });
    const ended = await runServerToItsEnd(settingsOf(where, undefined));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`Another Parlance is using ${join(where.dataDir, "parlance.db")}`);
    expect(ended.stderr).not.toMatch(/\n +at /);
    const ada = first.inNewWorkspace();
    expect(
      (await ada.ask("threads.create", { body: { last_message_at: new Date().toISOString() } })).status,
    ).toBe(201);
  });

  test.for([
    [
      "an address that is not this machine's",
      { HOST: "192.0.2.1" },
      "Set HOST to an address of this machine",
    ],
    [
      "a data folder that is a file",
      { DATA_DIR: import.meta.filename },
      "Make it a folder that this user can write to",
    ],
    [
      "a data folder below a file",
      { DATA_DIR: join(import.meta.filename, "data") },
      "Make it a folder that this user can write to",
    ],
    ...(process.platform === "linux"
      ? ([
          [
            "a data folder that the system lets nobody create",
            { DATA_DIR: "/proc/x" },
            "DATA_DIR /proc/x cannot be used",
          ],
          [
            "a data folder that the system lets nobody create folders in",
            { DATA_DIR: "/proc/self/x/y" },
            "DATA_DIR /proc/self/x/y cannot be used",
          ],
          [
            "a data folder in which no file can be made",
            { DATA_DIR: "/proc" },
            "DATA_DIR /proc cannot be used",
          ],
        ] as const)
      : []),
  ] as const)("says what to do about %s", async ([, settings, remedy]) => {
    const ended = await runServerToItsEnd(settingsOf(await place(), undefined, settings));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("Parlance cannot start.");
    expect(ended.stderr).toContain(remedy);
    expect(ended.stderr).not.toMatch(/\n +at /);
  });
});
