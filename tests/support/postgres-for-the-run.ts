import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { findPostgresPrograms } from "./postgres-programs.ts";

const REMEDY =
  "The tests need a PostgreSQL: install one (apt-get install postgresql), or set TEST_DATABASE_URL to a server " +
  "whose user may create databases, or run the quick half with `npm run check`, which does without.";

/**
 * One PostgreSQL for the whole run, its address in TEST_DATABASE_URL: the one that is set already, else one
 * of our own that ends with the run. PARLANCE_TEST_POSTGRES=off leaves it out.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.PARLANCE_TEST_POSTGRES === "off") {
    delete process.env.TEST_DATABASE_URL;
    return undefined;
  }
  if (process.env.TEST_DATABASE_URL) return undefined;
  const programs = findPostgresPrograms();
  if (!programs) throw new Error(REMEDY);

  const path = fileURLToPath(new URL("./postgres-keeper.ts", import.meta.url));
  const keeper = spawn(process.execPath, [path, programs.folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(keeper, "exit");
  const [line = ""] = await once(createInterface(keeper.stdout), "line", {
    // 60 s: making and starting one takes two; a machine that needs more than this has another problem.
    signal: AbortSignal.timeout(60_000),
  });
  const [, word, rest] = /^(ready|failed) (.*)$/s.exec(String(line)) ?? [];
  if (word !== "ready") throw new Error(`${REMEDY} (The one of ${programs.from} did not start: ${rest})`);

  process.env.TEST_DATABASE_URL = rest;
  return async () => {
    delete process.env.TEST_DATABASE_URL;
    keeper.stdin.end();
    await ended;
  };
}
