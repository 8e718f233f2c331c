import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { engines, freshDatabaseUrl } from "#tests/support/postgres/postgres.ts";
import { freePort } from "#tests/support/postgres/postgres-cluster.ts";
import { append, readAfter } from "#storage/log/log.ts";
import { openPostgres } from "./postgres.ts";
import { UnsupportedPoolerError } from "#storage/lib/errors.ts";
import { checkNotifications } from "./pooler.ts";

const program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => existsSync(path));

async function database(): Promise<string> {
  const { url, drop } = await freshDatabaseUrl();
  onTestFinished(drop);
  return url;
}

/** A real PgBouncer in transaction mode in front of this database. It refuses to run as root. */
async function pooler(url: string, more = ""): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-pooler-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const { hostname, port: target, username } = new URL(url);
  const port = await freePort();
  writeFileSync(join(folder, "users"), `"${username}" ""\n`);
  writeFileSync(
    join(folder, "pooler.ini"),
    `[databases]\n* = host=${hostname} port=${target}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}
auth_type = trust\nauth_file = ${folder}/users\npool_mode = transaction\nunix_socket_dir =\n${more}\n`,
  );
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program!, ["-q", join(folder, "pooler.ini")], { ...nobody, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await vi.waitFor(async () => await reach(port), { timeout: 15_000, interval: 50 });
  const through = new URL(url);
  through.searchParams.delete("host");
  through.hostname = "127.0.0.1";
  through.port = String(port);
  return through.href;
}

async function reach(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(void socket.destroy()));
    socket.once("error", reject);
  });
}

describe.runIf(engines.includes("postgres"))("a pooler in front of PostgreSQL", () => {
  test("is detected if notifications do not arrive, and not otherwise", async () => {
    const url = await database();
    const elsewhere = await database();
    const found = await checkNotifications(url, elsewhere, { tries: 2, retryMs: 50 });
    expect(found).toBeInstanceOf(UnsupportedPoolerError);
    expect(found?.message).toMatch(/^Notifications sent .*Set DATABASE_DIRECT_URL /);
    expect(await checkNotifications(url, url)).toBeUndefined();
    expect(await checkNotifications(url, undefined)).toBeUndefined();
  });

  describe.skipIf(program === undefined)("in transaction mode (skipped where there is no pgbouncer)", () => {
    test("is named in the error if it refuses the startup parameters", async () => {
      const through = await pooler(await database());
      await expect(openPostgres({ url: through })).rejects.toThrow(
        /^DATABASE_URL leads through a pooler .*statement_timeout.* Set DATABASE_DIRECT_URL /,
      );
    });

    test("is detected by lost notifications if it refuses nothing", async () => {
      const ignore =
        "ignore_startup_parameters = extra_float_digits,statement_timeout,idle_in_transaction_session_timeout";
      const through = await pooler(await database(), ignore);
      const found = await checkNotifications(through, undefined, { tries: 5, retryMs: 100 });
      expect(found?.about).toContain("do not arrive");
    });

    test("works with a direct address: one server is notified of what another appends", async () => {
      const direct = await database();
      const through = await pooler(direct);
      const one = await openPostgres({ url: through, directUrl: direct, poolSize: 3 });
      onTestFinished(async () => await one.close());
      const other = await openPostgres({ url: through, directUrl: direct, poolSize: 3 });
      onTestFinished(async () => await other.close());
      for (const word of ["one", "two", "three"]) {
        const heard = new Promise<void>((resolve) => other.pubSub.subscribe("run:a", resolve));
        await one.write((tx) => append(tx, [{ topic: "run:a", bodies: [JSON.stringify(word)] }]));
        await Promise.race([heard, sleep(10_000).then(() => expect.unreachable("no notification came"))]);
      }
      expect((await readAfter(other, "run:a", 0, 10)).entries.map(({ body }) => body)).toEqual([
        '"one"',
        '"two"',
        '"three"',
      ]);
    });
  });
});
