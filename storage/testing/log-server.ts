import { openDatabase } from "../database/open.ts";
import type { FollowEvent } from "../log/follow.ts";
import { read, write, type ReaderPlan, type WriterStep } from "./log-actors.ts";

/** What a server does with `topics` until it is killed. Its readers follow the first topic. */
export type ServerPlan = {
  place: { dataDir: string; databaseUrl?: string };
  topics: string[];
  /** The prefix of its entries. */
  name: string;
  writers: WriterStep[][];
  readers: ReaderPlan[];
};

/** A line of its output, as JSON. It is written synchronously, so what it reports was acknowledged or seen. */
export type ServerOutput =
  | { type: "wrote"; seq: number; body: string }
  | { type: "received"; reader: number; event: FollowEvent }
  | { type: "written" };

// A server in a process of its own. Its readers follow until it is killed.
const { place, topics, name, writers, readers } = JSON.parse(process.argv[2] ?? "") as ServerPlan;
// Longer than every test, so that no process is left behind by a test that was ended.
setTimeout(() => process.exit(1), 60_000);
const print = (line: ServerOutput): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const db = await openDatabase(place);
const neverAborted = new AbortController().signal;
const reading = readers.map(async (plan, reader) => {
  for await (const event of read(db, topics[0] ?? "", plan, neverAborted))
    print({ type: "received", reader, event });
});
await Promise.all(
  writers.map((steps, i) =>
    write(db, topics, steps, `${name} ${i}`, (seq, body) => print({ type: "wrote", seq, body })),
  ),
);
print({ type: "written" });
await Promise.all(reading);
