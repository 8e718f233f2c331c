import { openDatabase } from "../database/open.ts";
import type { Followed } from "../log/follow.ts";
import { read, write, type Deed, type Pace } from "./log-players.ts";

/** What one life of a server is to do with `topics`; who follows, follows the first of them. */
export type Life = {
  place: { dataDir: string; databaseUrl?: string };
  topics: string[];
  /** What its entries begin with. */
  name: string;
  writers: Deed[][];
  readers: Pace[];
};

/** What it tells, a line of JSON each, written before anything else happens: what is told was seen. */
export type Told =
  | { type: "wrote"; seq: number; body: string }
  | { type: "heard"; reader: number; followed: Followed }
  | { type: "written" };

// A server in a process of its own. Its readers follow until it is killed; there is no other end.
const { place, topics, name, writers, readers } = JSON.parse(process.argv[2] ?? "") as Life;
// A minute is past every test's patience: nobody is left behind whose test was ended.
setTimeout(() => process.exit(1), 60_000);
const tell = (told: Told): void => void process.stdout.write(`${JSON.stringify(told)}\n`);
const db = await openDatabase(place);
const neverLeaving = new AbortController().signal;
const reading = readers.map(async (pace, reader) => {
  for await (const followed of read(db, topics[0] ?? "", pace, neverLeaving))
    tell({ type: "heard", reader, followed });
});
await Promise.all(
  writers.map((deeds, i) =>
    write(db, topics, deeds, `${name} ${i}`, (seq, body) => tell({ type: "wrote", seq, body })),
  ),
);
tell({ type: "written" });
await Promise.all(reading);
