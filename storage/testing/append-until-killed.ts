import { openDatabase } from "../database/open.ts";
import { append } from "../log/log.ts";

// A server that appends to two topics until it is killed, and prints each number once it is acknowledged.
const [dataDir = ""] = process.argv.slice(2);
const db = await openDatabase({ dataDir });
for (;;) {
  const seqs = await db.write((tx) =>
    append(tx, [
      { topic: "run:a", bodies: ["1"] },
      { topic: "run:b", bodies: ["1", "2"] },
    ]),
  );
  process.stdout.write(`${seqs.get("run:a")}\n`);
}
