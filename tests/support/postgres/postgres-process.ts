// A process that runs one PostgreSQL server for a test run and removes it when the run ends. Its standard input closes
// then, even if the run was killed.
import { once } from "node:events";
import { memoryFolder } from "../temporary-folder.ts";
import { createCluster, type Cluster } from "./postgres-cluster.ts";

const [programs = ""] = process.argv.slice(2);
// Ctrl-C also reaches this process. It waits until its input closes.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

let cluster: Cluster | undefined;
const runEnded = once(process.stdin.resume(), "close");

try {
  cluster = await createCluster(programs, { synchronous_commit: "off" }, memoryFolder());
  await Promise.race([cluster.start(), runEnded]);
  console.log(`ready ${cluster.socketUrl}`);
  await Promise.race([runEnded, cluster.ended()]);
} catch (error) {
  console.log(`failed ${error instanceof Error ? error.message : String(error)}`);
} finally {
  // An immediate shutdown, because the data is deleted.
  await cluster?.end("SIGQUIT");
  cluster?.remove();
  process.exit(0);
}
