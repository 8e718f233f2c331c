import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { npmProgram } from "../scripts/runner/packages.mjs";
import { eventsOf, startRun, waitForFirstWord } from "./support/clients/conversation.ts";
import { freePort } from "./support/postgres/postgres-cluster.ts";
import { settingsOf } from "./support/servers/server.ts";
import { adaOn, modelForTest, placeForTest } from "./support/test-scope.ts";

const node = process.execPath;
const runner = fileURLToPath(new URL("../scripts/run.mjs", import.meta.url));
/** What `node scripts/run.mjs start` does once everything is built. */
const start = [runner, "node", "server/main.mjs"];
const npmStart = [npmProgram(), "start"];

const canMakeNamespaces = spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;

/** A server that waits for its answers when it is asked to stop, and a folder in which `npm start` starts it. */
async function setUp() {
  const { dataDir, ...place } = await placeForTest("sqlite");
  const model = await modelForTest();
  const port = String(await freePort());
  const settings = settingsOf({ dataDir, ...place }, model, { PORT: port, SHUTDOWN_GRACE_SECONDS: "600" });
  const scripts = { start: `"${node}" ${start.join(" ")}` };
  writeFileSync(join(dataDir, "package.json"), JSON.stringify({ name: "started", scripts }));
  const server = { url: `http://127.0.0.1:${port}` };
  const listens = async (): Promise<boolean> =>
    await fetch(`${server.url}/livez`).then(
      () => true,
      () => false,
    );

  return {
    listens,
    /** Starts a program that starts the server, and waits until that listens. */
    async launch(program: string, ...args: string[]): Promise<ChildProcess> {
      const { PATH, HOME } = process.env;
      const env = { PATH, HOME, ...settings };
      const launched = spawn(program, args, { cwd: dataDir, env, stdio: "ignore", detached: true });
      onTestFinished(() => {
        try {
          // Its process group has every process that it started.
          process.kill(-launched.pid!, "SIGKILL");
        } catch {
          // All of them have ended.
        }
      });
      await expect.poll(listens, { timeout: 15_000 }).toBe(true);
      return launched;
    },
    /** An answer of about two seconds. `end` resolves with its last event. */
    async answerInProgress() {
      const talk = await startRun(adaOn(server), "Long tokens=80 gap=25");
      const { stream, seen } = await waitForFirstWord(adaOn(server), talk.run_id);
      return { end: async () => eventsOf([...seen, ...(await stream.rest())]).at(-1) };
    },
  };
}

const completed = { type: "run-end", state: "completed" };

describe.skipIf(process.platform === "win32")("a server", () => {
  test.for(["SIGKILL", "SIGTERM"] as const)(
    "that npm started finishes its answers and ends when npm alone gets %s",
    async (signal) => {
      const { launch, listens, answerInProgress } = await setUp();
      const npm = await launch(node, ...npmStart);
      const answer = await answerInProgress();
      npm.kill(signal);
      expect(await answer.end()).toMatchObject(completed);
      await expect.poll(listens, { timeout: 10_000 }).toBe(false);
    },
  );

  test.for([
    ["without npm", start],
    ["with npm", npmStart],
  ] as const)(
    "runs on when the program that started it in the background has ended (%s)",
    async ([, args]) => {
      const { launch, listens, answerInProgress } = await setUp();
      const shell = await launch("sh", "-c", `"$@" & sleep 600`, "sh", node, ...args);
      const ended = once(shell, "exit");
      shell.kill("SIGKILL");
      await ended;
      // Longer than the runner looks after npm.
      expect(await (await answerInProgress()).end()).toMatchObject(completed);
      expect(await listens()).toBe(true);
    },
  );

  test.skipIf(!canMakeNamespaces)(
    "that is process 1 of a container finishes its answers when the container is stopped (skipped where `unshare --pid` is not permitted)",
    async () => {
      const { launch, answerInProgress } = await setUp();
      const unshare = await launch("unshare", "--pid", "--fork", node, ...start);
      const answer = await answerInProgress();
      const ended = once(unshare, "exit");
      const children = readFileSync(`/proc/${unshare.pid}/task/${unshare.pid}/children`, "utf8");
      process.kill(Number(children), "SIGTERM");
      expect(await answer.end()).toMatchObject(completed);
      expect(await ended).toEqual([0, null]);
    },
  );
});
