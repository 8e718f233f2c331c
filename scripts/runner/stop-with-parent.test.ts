import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const preload = new URL("./stop-with-parent.mjs", import.meta.url).href;

// Prints the signals that it gets and exits a moment later, as a server that finishes its requests does.
const SERVER = `
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {
    console.log(signal);
    setTimeout(() => process.exit(7), 100);
  });
  console.log("up");
  setInterval(() => {}, 1000);
`;

test("stops the program when its runner was killed", async () => {
  const program = await start(SERVER);
  program.child.disconnect();
  expect(await program.end).toEqual({ end: 7, said: ["up", "SIGTERM"] });
});

test("stops a program without listeners", async () => {
  const program = await start(`console.log("up"); setInterval(() => {}, 1000);`);
  program.child.disconnect();
  expect(await program.end).toEqual({ end: 143, said: ["up"] });
});

test("does not keep a finished program alive", async () => {
  const program = await start(`console.log("up");`);
  expect(await program.end).toEqual({ end: 0, said: ["up"] });
});

test("does not affect child processes of the program", async () => {
  const program = await start(SERVER, { PARLANCE_RUNNER_PID: "1" });
  program.child.disconnect();
  program.child.kill("SIGINT");
  expect(await program.end).toEqual({ end: 7, said: ["up", "SIGINT"] });
});

async function start(code: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["--import", preload, "--input-type=module", "--eval", code], {
    env: { ...process.env, PARLANCE_RUNNER_PID: String(process.pid), ...env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const { stdout } = child;
  if (!stdout) throw new Error("The child has no stdout.");
  let words = "";
  stdout.on("data", (chunk) => (words += String(chunk)));
  // Not "close", which is not emitted for a child whose IPC channel was closed here.
  const ended = Promise.all([once(child, "exit"), once(stdout, "end")]);
  const end = ended.then(([[code, signal]]) => ({ end: code ?? signal, said: words.trim().split("\n") }));
  await once(stdout, "data");
  return { child, end };
}
