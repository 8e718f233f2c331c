import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { findPostgresPrograms } from "./postgres-programs.ts";

const INSTALL_HINT =
  "The tests need PostgreSQL: install it (apt-get install postgresql), or set TEST_DATABASE_URL to a server " +
  "whose user may create databases, or use `npm run check`, which tests on SQLite only.";

/**
 * Provides one PostgreSQL server for the whole run in TEST_DATABASE_URL. If that is not set, starts one and stops it at
 * the end. PARLANCE_TEST_POSTGRES=off disables it.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.PARLANCE_TEST_POSTGRES === "off") {
    delete process.env.TEST_DATABASE_URL;
    return undefined;
  }
  if (process.env.TEST_DATABASE_URL) return undefined;
  const programs = findPostgresPrograms();
  if (!programs) throw new Error(INSTALL_HINT);

  const path = fileURLToPath(new URL("./postgres-process.ts", import.meta.url));
  const child = spawn(process.execPath, [path, programs.folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [line = ""] = await once(createInterface(child.stdout), "line", {
    // It takes two seconds on a normal machine.
    signal: AbortSignal.timeout(60_000),
  });
  const [, word, rest] = /^(ready|failed) (.*)$/s.exec(String(line)) ?? [];
  if (word !== "ready")
    throw new Error(`${INSTALL_HINT} (PostgreSQL from ${programs.from} did not start: ${rest})`);

  process.env.TEST_DATABASE_URL = rest;
  return async () => {
    delete process.env.TEST_DATABASE_URL;
    child.stdin.end();
    await ended;
  };
}
