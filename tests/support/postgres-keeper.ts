// A process that keeps one PostgreSQL for a run of tests, and clears it away when the run is over. It knows
// that from its input: the pipe closes when the run ends, also when the run was killed and could say nothing.
import { once } from "node:events";
import { createCluster, type Cluster } from "./postgres-cluster.ts";

const [programs = ""] = process.argv.slice(2);
// Ctrl-C reaches us as well; the run's end comes right after it, by the pipe.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

let cluster: Cluster | undefined;
const over = once(process.stdin.resume(), "close");

try {
  cluster = await createCluster(programs, { synchronous_commit: "off" });
  await Promise.race([cluster.start(), over]);
  console.log(`ready ${cluster.url}`);
  await Promise.race([over, cluster.ended()]);
} catch (error) {
  console.log(`failed ${error instanceof Error ? error.message : String(error)}`);
} finally {
  // "Immediate": there is nothing worth writing down.
  await cluster?.end("SIGQUIT");
  cluster?.remove();
  process.exit(0);
}
