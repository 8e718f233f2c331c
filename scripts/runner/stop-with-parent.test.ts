import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./files.mjs";

const preload = new URL("./stop-with-parent.mjs", import.meta.url).href;

// Prints the signals that it gets and exits a moment later, as a server that finishes its requests does.
const SERVER = `
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {
    console.log(signal);
    setTimeout(() => process.exit(7), 600);
  });
  console.log("up");
  setInterval(() => {}, 1000);
`;

test("stops the program when its runner was killed", async () => {
  const program = await start(SERVER);
  program.child.disconnect();
  expect(await program.end).toEqual({ code: 7, said: ["up", "SIGTERM"] });
});

test("signals the program once if the terminal also sent the signal", async () => {
  const program = await start(SERVER);
  program.child.kill("SIGINT");
  program.child.send("stop");
  expect(await program.end).toEqual({ code: 7, said: ["up", "SIGINT"] });
});

test("stops a program without listeners when the terminal is closed", async () => {
  const program = await start(SERVER);
  program.child.kill("SIGHUP");
  expect(await program.end).toEqual({ code: 7, said: ["up", "SIGTERM"] });
});

test("stops a program without listeners", async () => {
  const program = await start(`console.log("up"); setInterval(() => {}, 1000);`);
  program.child.send("stop");
  expect(await program.end).toEqual({ code: 143, said: ["up"] });
});

test("does not keep a finished program alive", async () => {
  const program = await start(`console.log("up");`);
  expect(await program.end).toEqual({ code: 0, said: ["up"] });
});

test("does not affect child processes of the program", async () => {
  const program = await start(SERVER, { PARLANCE_RUNNER_PID: "1" });
  program.child.disconnect();
  program.child.kill("SIGINT");
  expect(await program.end).toEqual({ code: 7, said: ["up", "SIGINT"] });
});

// 20 times as fast.
const FAST_CLOCK = "const wait = setTimeout; globalThis.setTimeout = (work, ms) => wait(work, ms / 20);";
const SLOW_END = `
  process.on("SIGTERM", () => setTimeout(() => process.exit(7), 20_000));
  console.log("up");
  setInterval(() => {}, 1000);
`;

test("ends a program that takes more than ten seconds to stop, but not the server", async () => {
  const isServer = `process.argv[1] = ${JSON.stringify(join(root, "server", "main.mjs"))};`;
  const [program, server] = await Promise.all([
    start(SLOW_END, {}, [FAST_CLOCK]),
    start(SLOW_END, {}, [FAST_CLOCK, isServer]),
  ]);
  for (const { child } of [program, server]) child.send("stop");
  expect(await program.end).toMatchObject({ code: 1 });
  expect(await server.end).toMatchObject({ code: 7 });
});

async function start(code: string, env: Record<string, string> = {}, before: string[] = []) {
  const imports = [...before.map((text) => `data:text/javascript,${encodeURIComponent(text)}`), preload];
  const args = [...imports.flatMap((url) => ["--import", url]), "--input-type=module", "--eval", code];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, PARLANCE_RUNNER_PID: String(process.pid), ...env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const { stdout } = child;
  if (!stdout) throw new Error("The child has no stdout.");
  let words = "";
  stdout.on("data", (chunk) => (words += String(chunk)));
  // Not "close", which is not emitted for a child whose IPC channel was closed here.
  const ended = Promise.all([once(child, "exit"), once(stdout, "end")]);
  const end = ended.then(([[code]]) => ({ code: code as number, said: words.trim().split("\n") }));
  await once(stdout, "data");
  return { child, end };
}
