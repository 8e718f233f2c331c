import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { charactersPerMessage, storeMessages } from "#tests/support/data/stored-messages.ts";
import { withFolder } from "../support/services.ts";
import type { Bench, Figure } from "../support/report.ts";

const messages = 100_000;
const maxBytes = 3_072;

/** The disk space per message: questions and answers of 1.1 KB with their runs, whose logs are pruned. */
export const storageSize: Bench = {
  about: "the size of a SQLite database of 100,000 messages of 1,100 characters after VACUUM, by what it has",
  async run() {
    return await withFolder(async (folder) => {
      await storeMessages(folder, messages);
      return measure(join(folder, "parlance.db"));
    });
  },
};

const kinds: [what: string, tables: RegExp][] = [
  ["messages", /^messages$/],
  ["indexes of messages", /messages/],
  ["search", /^search_|search_documents/],
  ["runs with their indexes", /runs|log_topics/],
];

function measure(path: string): Figure[] {
  const file = new DatabaseSync(path);
  try {
    file.exec("vacuum");
    const rows = file.prepare("select name, sum(pgsize) as bytes from dbstat group by name").all() as {
      name: string;
      bytes: number;
    }[];
    const total = rows.reduce((sum, { bytes }) => sum + bytes, 0) / messages;
    const kindOf = (name: string) => kinds.find(([, tables]) => tables.test(name))?.[0] ?? "everything else";
    const byKind = new Map<string, number>();
    for (const { name, bytes } of rows)
      byKind.set(kindOf(name), (byKind.get(kindOf(name)) ?? 0) + bytes / messages);
    return [
      {
        what: "a message of 1,100 characters",
        unit: "bytes",
        ours: total,
        baseline: charactersPerMessage,
        against: "its text",
        aim: `≤ ${maxBytes} bytes`,
        met: total <= maxBytes,
      },
      ...[...byKind].map(([what, ours]) => ({ what: `of these: ${what}`, unit: "bytes", ours })),
    ];
  } finally {
    file.close();
  }
}
