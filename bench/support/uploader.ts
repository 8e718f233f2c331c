// Uploads files concurrently until it is stopped, in a separate process from the measurement.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { signUp } from "./parlance.ts";
import { sendFile } from "./send-file.ts";

const url = process.env.SERVER_URL ?? "";
const concurrency = Number(process.env.UPLOADS);
const bytes = Number(process.env.UPLOAD_BYTES);
const pauseMs = 100;

let isStopped = false;
process.once("SIGTERM", () => (isStopped = true));
const person = await signUp(url);
const bodies = Array.from({ length: concurrency }, () => randomBytes(bytes));
console.log(url);
let count = 0;
const from = performance.now();
while (!isStopped) {
  // All are different, because identical files are stored once.
  for (const body of bodies) randomBytes(16).copy(body);
  await Promise.all(bodies.map(async (body) => await sendFile(person, body)));
  count += bodies.length;
  await sleep(pauseMs);
}
const seconds = (performance.now() - from) / 1000;
console.error(`  (${count} files of ${bytes} bytes in ${seconds.toFixed(0)} s)`);
