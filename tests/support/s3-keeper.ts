// A process that keeps one S3 server for a run of tests, and clears it away when the run is over: see
// `postgres-keeper.ts`.
import { once } from "node:events";
import { createS3Server } from "./s3-server.ts";

const [programs = ""] = process.argv.slice(2);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const server = createS3Server(programs);
const over = once(process.stdin.resume(), "close");

try {
  const place = await Promise.race([server.start(), over.then(() => undefined)]);
  if (place !== undefined) console.log(`ready ${JSON.stringify(place)}`);
  await over;
} catch (error) {
  console.log(`failed ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await server.end();
  process.exit(0);
}
