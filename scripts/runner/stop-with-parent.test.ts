import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const preload = new URL("./stop-with-parent.mjs", import.meta.url).href;

// Says what it hears, and ends a little after, as a server does that drains.
const SERVER = `
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {
    console.log(signal);
    setTimeout(() => process.exit(7), 600);
  });
  console.log("up");
  setInterval(() => {}, 1000);
`;

test("tells the program to stop when its runner is gone without a word", async () => {
  const program = await start(SERVER);
  program.child.disconnect();
  expect(await program.end).toEqual({ code: 7, said: ["up", "SIGTERM"] });
});

test("passes on a request to stop once when the terminal has passed it on too", async () => {
  const program = await start(SERVER);
  program.child.kill("SIGINT");
  program.child.send("stop");
  expect(await program.end).toEqual({ code: 7, said: ["up", "SIGINT"] });
});

test("tells a program that listens to nothing else about a terminal that was closed", async () => {
  const program = await start(SERVER);
  program.child.kill("SIGHUP");
  expect(await program.end).toEqual({ code: 7, said: ["up", "SIGTERM"] });
});

test("ends a program that does not listen", async () => {
  const program = await start(`console.log("up"); setInterval(() => {}, 1000);`);
  program.child.send("stop");
  expect(await program.end).toEqual({ code: 143, said: ["up"] });
});

test("does not keep a program alive that is done", async () => {
  const program = await start(`console.log("up");`);
  expect(await program.end).toEqual({ code: 0, said: ["up"] });
});

test("leaves programs alone that ours starts", async () => {
  const program = await start(SERVER, { PARLANCE_RUNNER_PID: "1" });
  program.child.disconnect();
  program.child.kill("SIGINT");
  expect(await program.end).toEqual({ code: 7, said: ["up", "SIGINT"] });
});

async function start(code: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["--import", preload, "--input-type=module", "--eval", code], {
    env: { ...process.env, PARLANCE_RUNNER_PID: String(process.pid), ...env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const { stdout } = child;
  if (!stdout) throw new Error("There is a pipe, because one was asked for.");
  let words = "";
  stdout.on("data", (chunk) => (words += String(chunk)));
  // Not "close": that never comes to a child whose channel was closed by us.
  const ended = Promise.all([once(child, "exit"), once(stdout, "end")]);
  const end = ended.then(([[code]]) => ({ code: code as number, said: words.trim().split("\n") }));
  await once(stdout, "data");
  return { child, end };
}
