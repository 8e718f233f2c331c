import { openDatabase } from "../database/open.ts";
import type { FollowEvent } from "../log/follow.ts";
import { read, write, type ReaderPlan, type WriterStep } from "./log-actors.ts";

/** The writers and readers of a server process on `topics`. Its readers follow the first topic. */
export type ServerPlan = {
  place: { dataDir: string; databaseUrl?: string };
  topics: string[];
  /** The prefix of its entries. */
  name: string;
  writers: WriterStep[][];
  readers: ReaderPlan[];
};

/** A line of its output, as JSON. Lines are written synchronously, so that none is lost when the process is killed. */
export type ServerOutput =
  | { type: "wrote"; seq: number; body: string }
  | { type: "received"; reader: number; event: FollowEvent }
  | { type: "written" };

// The program of the server process. It runs until it is killed.
const { place, topics, name, writers, readers } = JSON.parse(process.argv[2] ?? "") as ServerPlan;
// Longer than every test, so that no process outlives an aborted test for long.
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
