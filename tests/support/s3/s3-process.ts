// A process that runs one S3 server for a test run and removes it when the run ends. See `postgres-process.ts`.
import { once } from "node:events";
import { createS3Server } from "./s3-server.ts";

const [programs = ""] = process.argv.slice(2);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const server = createS3Server(programs);
const runEnded = once(process.stdin.resume(), "close");

try {
  const place = await Promise.race([server.start(), runEnded.then(() => undefined)]);
  if (place !== undefined) console.log(`ready ${JSON.stringify(place)}`);
  await runEnded;
} catch (error) {
  console.log(`failed ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await server.end();
  process.exit(0);
}
