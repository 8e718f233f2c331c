import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

// Prints the signals that it gets and exits a moment later, as a server that finishes its requests does.
const SERVER = `
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {
    console.log(signal);
    setTimeout(() => process.exit(0), 300);
  });
  console.log("up");
  setInterval(() => {}, 1000);
`;

test("a watched server gets one signal for Ctrl-C and may finish its requests", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parlance-test-"));
  try {
    const server = join(folder, "server.mjs");
    await writeFile(server, SERVER);
    const module = new URL("./watched-server.ts", import.meta.url).href;
    const code = `
      import { startWatched } from ${JSON.stringify(module)};
      startWatched([${JSON.stringify(server)}], { cwd: ${JSON.stringify(folder)}, env: process.env });
    `;
    // Its own process group, as a terminal gives each command.
    const command = spawn(process.execPath, ["--input-type=module", "--eval", code], {
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    const up = Promise.withResolvers<void>();
    command.stdout.on("data", (text) => {
      said += String(text);
      if (said.includes("up")) up.resolve();
    });
    const ended = once(command, "close");
    await up.promise;
    process.kill(-command.pid!, "SIGINT");
    await ended;
    expect(said.trim().split("\n")).toEqual(["up", "SIGTERM"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
